// What Telegram finds in a text by itself: links, mentions, hashtags, commands.

import { wholeAddress } from '../found-address.ts';
import type { Entity } from './entities.ts';

const host = String.raw`(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,62}[\p{L}\p{N}])?\.)+`;
/** A name without a scheme counts as an address only under these. */
const zones = 'com|org|net|info|biz|edu|gov|me|io|app|dev|ru|su|ua|by|kz|de|fr|uk|eu|рф|ru';
const tail = String.raw`(?::\d{1,5})?(?:[/?#][^\s<>"«»]*)?`;

const rules: readonly { readonly type: Entity['type']; readonly pattern: RegExp }[] = [
  {
    type: 'email',
    pattern: new RegExp(String.raw`[\w.+-]{1,64}@${host}[\p{L}]{2,24}(?![\p{L}\p{N}@])`, 'giu'),
  },
  {
    type: 'url',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}@._-])(?:https?://${host}[\p{L}\p{N}-]{2,24}|${host}(?:${zones})(?![\p{L}\p{N}]))${tail}`,
      'giu',
    ),
  },
  { type: 'mention', pattern: /(?<![\p{L}\p{N}_/@])@[a-z0-9_]{3,32}(?![a-z0-9_])/giu },
  {
    type: 'hashtag',
    pattern: /(?<![\p{L}\p{N}_#&])#(?=[\p{N}_]{0,255}\p{L})[\p{L}\p{N}_]{1,256}/gu,
  },
  { type: 'cashtag', pattern: /(?<![\p{L}\p{N}$])\$[A-Z]{3,8}(?![\p{L}\p{N}$])/gu },
  {
    type: 'bot_command',
    pattern: /(?<![\p{L}\p{N}_/<>])\/[a-z0-9_]{1,64}(?:@[a-z0-9_]{3,32})?(?![\p{L}\p{N}_/<>])/giu,
  },
];

/** Entities that do not overlap: a rule does not look at what a rule above it has found. */
export function findEntities(text: string): Entity[] {
  const found: Entity[] = [];
  for (const { type, pattern } of rules) {
    for (const match of text.matchAll(pattern)) {
      const { length } = type === 'url' ? wholeAddress(match[0]) : match[0];
      const entity = { type, offset: match.index, length };
      const end = entity.offset + entity.length;
      const free = found.every(
        (other) => other.offset >= end || other.offset + other.length <= entity.offset,
      );
      if (free) found.push(entity);
    }
  }
  return found;
}
