/** Where Telegram's API is, unless TELEGRAM_API_URL names another place. */
export const apiUrl = 'https://api.telegram.org';
