import { describePace, photosOf } from '../support/pace/pace-suite.ts';

// Texts count one by one: at a tenth of Telegram's limit and of the preset's the test takes less time. Albums have the
// limits as they are.
const scaled = { limits: { bot: { calls: 3, ms: 1000 } }, share: 0.1 };

describePace('Telegram', {
  texts: { platform: 'telegram', channels: 12, photosOf: photosOf.texts, scaled },
  albums: { platform: 'telegram', channels: 50, photosOf: photosOf.albums },
  'texts and albums': { platform: 'telegram', channels: 50, photosOf: photosOf.both },
});
