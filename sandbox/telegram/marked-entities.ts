// Entities whose meaning is in an address or an attribute: links, mentions, custom emoji, times.

import type { Entity, Range } from './entities.ts';
import { checkLink } from './links.ts';
import { parseFault } from './parse-fault.ts';
import { isEmojiId, mentionedUser, timeFormat } from './tg-links.ts';

/** Empty when the address is not a link. */
export function linkEntity(address: string, range: Range): Entity[] {
  const user = mentionedUser(address);
  if (user !== undefined) return [mentionEntity(user, range)];
  const link = checkLink(address);
  return 'url' in link ? [{ type: 'text_link', ...range, url: link.url }] : [];
}

export function mentionEntity(id: number, range: Range): Entity {
  return { type: 'text_mention', ...range, user: { id, is_bot: false, first_name: '' } };
}

export function emojiEntity(id: string, range: Range): Entity {
  if (!isEmojiId(id)) throw parseFault('Invalid custom emoji identifier specified');
  return { type: 'custom_emoji', ...range, custom_emoji_id: id };
}

/** Empty when the time is invalid. An invalid format is refused in any case. */
export function timeEntity(unix: string, format: string, range: Range): Entity[] {
  const date_time_format = timeFormat(format);
  if (date_time_format === undefined) throw parseFault('Invalid date format used');
  const digits = /^-?\d+/.exec(unix)?.[0] ?? '0';
  const unix_time = Number(BigInt.asIntN(32, BigInt(digits)));
  return unix_time > 0 ? [{ type: 'date_time', ...range, unix_time, date_time_format }] : [];
}
