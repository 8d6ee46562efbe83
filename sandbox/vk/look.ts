// How VK's app looks.

import type { Look } from '../drawing/look.ts';

export const vkLook: Look = {
  name: 'vk',
  title: 'VK',
  usualKind: 'wall',
  colours: `
    --ground: light-dark(#ebedf0, #111213);
    --card: light-dark(#ffffff, #212224);
    --card-own: light-dark(#cfe3fa, #2d4a6b);
    --ink: light-dark(#0a0a0a, #e7e8ea);
    --faint: light-dark(#5c6673, #9da2a9);
    --accent: light-dark(#2a5885, #82b6ef);
    --press: light-dark(#f0f2f5, #2d2e31);
    --press-ink: light-dark(#2a5885, #a9cdf5);
    --badge: light-dark(#0b66d0, #2a5885);
    --badge-ink: #ffffff;
    --round: 12px;
  `,
};
