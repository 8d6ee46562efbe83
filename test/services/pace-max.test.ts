import { describePace, photosOf } from '../support/pace/pace-suite.ts';

// A tenth of MAX's limit and of the preset's: calls count one by one, so that the number changes nothing but the time
// that the test takes.
const scaled = { limits: { requests_per_second: 3 }, share: 0.1 };
const chats = { platform: 'max', channels: 12, scaled } as const;

describePace('MAX', {
  texts: { ...chats, photosOf: photosOf.texts },
  albums: { ...chats, photosOf: photosOf.albums },
  'texts and albums': { ...chats, photosOf: photosOf.both },
});
