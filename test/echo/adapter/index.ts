import type { Platform } from '../../../src/adapters/platform.ts';
import { onUnknown, settings } from './target.ts';

export const echo: Platform = {
  name: 'echo',
  title: 'Echo',
  create: async (options) => (await import('./adapter.ts')).createEchoAdapter(options),
  apiUrl: 'https://echo.invalid',
  apiUrlVariable: 'ECHO_API_URL',
  onUnknown,
  settings,
  pace: {
    channelRps: 10,
    groupRps: 100,
    countsAlbumItems: false,
    uploadCalls: 0,
    postsPerDay: null,
  },
};
