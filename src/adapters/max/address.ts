/** Where the platform's API is. */
export const apiUrl = 'https://platform-api2.max.ru';
