/** Where the platform's API is. */
export const apiUrl = 'https://api.vk.com';
