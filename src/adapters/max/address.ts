/** Where MAX's API is, unless MAX_API_URL names another place. */
export const apiUrl = 'https://platform-api2.max.ru';
