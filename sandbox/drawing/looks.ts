// The looks that there are. A platform that is not in the list is drawn plainly.

import { maxLook } from '../max/look.ts';
import { telegramLook } from '../telegram/look.ts';
import { vkLook } from '../vk/look.ts';
import type { Look } from './look.ts';

const plainLook: Look = {
  name: 'plain',
  usualKind: 'channel',
  colours: `
    --ground: light-dark(#eceff3, #15181c);
    --card: light-dark(#ffffff, #23272d);
    --card-own: light-dark(#dfe9f7, #2f4258);
    --ink: light-dark(#16191d, #eef0f3);
    --faint: light-dark(#5a6570, #9aa5b1);
    --accent: light-dark(#23577f, #86b9e6);
    --press: light-dark(#e4eaf1, #303740);
    --press-ink: light-dark(#23577f, #a5ccf0);
    --round: 14px;
  `,
};

export const looks: readonly Look[] = [telegramLook, maxLook, vkLook, plainLook];

export function lookOf(platform: string): Look {
  return looks.find(({ name }) => name === platform) ?? plainLook;
}
