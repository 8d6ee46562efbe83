import { describePace, photosOf } from '../support/pace/pace-suite.ts';

const walls = { platform: 'vk', channels: 12 } as const;

describePace('VK', {
  texts: { ...walls, photosOf: photosOf.texts },
  albums: { ...walls, photosOf: photosOf.albums },
  'texts and albums': { ...walls, photosOf: photosOf.both },
});
