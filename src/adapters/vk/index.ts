import type { Platform } from '../platform.ts';
import { apiUrl } from './address.ts';
import { onUnknown, settings } from './target.ts';

export const vk: Platform = {
  name: 'vk',
  title: 'VK',
  create: async (options) => (await import('./adapter.ts')).createVkAdapter(options),
  apiUrl,
  apiUrlVariable: 'VK_API_URL',
  onUnknown,
  settings,
  pace: {
    channelRps: 1,
    groupRps: 2.5,
    countsAlbumItems: false,
    uploadCalls: 2,
    // VK's refusal names 50 posts a day; 500 have been reported. What is certain counts.
    postsPerDay: 50,
  },
  limits: { channelRps: null, groupRps: 3 },
};
