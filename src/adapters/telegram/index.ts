import type { Platform } from '../platform.ts';
import { apiUrl } from './address.ts';
import { onUnknown, settings } from './target.ts';

export const telegram: Platform = {
  name: 'telegram',
  title: 'Telegram',
  create: async (options) => (await import('./adapter.ts')).createTelegramAdapter(options),
  apiUrl,
  apiUrlVariable: 'TELEGRAM_API_URL',
  onUnknown,
  settings,
  pace: {
    channelRps: 0.6,
    groupRps: 17.5,
    countsAlbumItems: true,
    uploadCalls: 0,
    postsPerDay: null,
  },
  limits: { channelRps: 1, groupRps: 30 },
};
