/** Where VK's API is, unless VK_API_URL names another place. */
export const apiUrl = 'https://api.vk.com';
