// How Telegram's app looks.

import type { Look } from '../drawing/look.ts';

export const telegramLook: Look = {
  name: 'telegram',
  title: 'Telegram',
  usualKind: 'channel',
  colours: `
    --ground: light-dark(#cddfc9, #0e1621);
    --ground-end: light-dark(#b5d0d3, #101d2b);
    --card: light-dark(#ffffff, #182533);
    --card-own: light-dark(#e9fbd8, #2b5278);
    --ink: light-dark(#0f1419, #f2f5f8);
    --faint: light-dark(#566572, #93a5b5);
    --accent: light-dark(#14679c, #7cbdf5);
    --press: light-dark(#51705a, #22344a);
    --press-ink: light-dark(#ffffff, #e3eefa);
    --badge: light-dark(#1a6da3, #2b5278);
    --badge-ink: #ffffff;
    --round: 14px;
  `,
};
