import type { Platform } from '../platform.ts';
import { apiUrl } from './address.ts';
import { onUnknown } from './target.ts';

export const max: Platform = {
  name: 'max',
  title: 'MAX',
  create: async (options) => (await import('./adapter.ts')).createMaxAdapter(options),
  apiUrl,
  apiUrlVariable: 'MAX_API_URL',
  onUnknown,
  settings: {},
  pace: {
    channelRps: 1.6,
    groupRps: 25,
    countsAlbumItems: false,
    uploadCalls: 1,
    postsPerDay: null,
  },
  limits: { channelRps: 2, groupRps: 30 },
};
