// How MAX's app looks.

import type { Look } from '../drawing/look.ts';

export const maxLook: Look = {
  name: 'max',
  title: 'MAX',
  usualKind: 'channel',
  colours: `
    --ground: light-dark(#eceefe, #131319);
    --ground-end: light-dark(#f2e9fd, #191724);
    --card: light-dark(#ffffff, #25242f);
    --card-own: light-dark(#dedcff, #433a86);
    --ink: light-dark(#15131f, #f3f2f8);
    --faint: light-dark(#5d5a6e, #aaa6bd);
    --accent: light-dark(#5239c8, #b0a4ff);
    --press: light-dark(#ffffff, #322f45);
    --press-ink: light-dark(#5239c8, #c7beff);
    --badge: light-dark(#6246dd, #4f42a3);
    --badge-ink: #ffffff;
    --round: 18px;
  `,
};
