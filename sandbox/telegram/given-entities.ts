// Entities that a caller gives instead of a parse mode.

import type { Entity, EntityType } from './entities.ts';
import {
  isList,
  isObject,
  type JsonObject,
  optionalText,
  requiredInteger,
  requiredText,
} from './json.ts';
import { checkLink } from './links.ts';
import { mentionEntity } from './marked-entities.ts';
import { refusal, within } from './refusals.ts';
import { isEmojiId, mentionedUser, timeFormat } from './tg-links.ts';

const plain = [
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'code',
  'blockquote',
  'expandable_blockquote',
] as const satisfies readonly EntityType[];
/** Telegram finds these itself, and ignores those that a caller gives. */
const found = 'mention hashtag cashtag bot_command url email phone_number bank_card_number'.split(
  ' ',
);

/** A value that is not a list counts as empty. */
export function readEntities(given: unknown): Entity[] {
  if (!isList(given)) return [];
  return given.flatMap((each) => within('MessageEntity', () => readEntity(each))).map(checked);
}

function readEntity(value: unknown): Entity[] {
  if (!isObject(value)) throw refusal('expected an Object');
  const offset = requiredInteger(value, 'offset');
  const range = { offset, length: requiredInteger(value, 'length') };
  const name = requiredText(value, 'type');
  const type = plain.find((each) => each === name);
  if (type !== undefined) return [{ type, ...range }];
  if (found.includes(name)) return [];
  if (name === 'pre') {
    const language = optionalText(value, 'language');
    return [{ type: 'pre', ...range, ...(language !== '' && { language }) }];
  }
  if (name === 'text_link') return [{ type: name, ...range, url: requiredText(value, 'url') }];
  if (name === 'text_mention') return [mentionEntity(userOf(value), range)];
  if (name === 'custom_emoji') {
    return [{ type: name, ...range, custom_emoji_id: requiredText(value, 'custom_emoji_id') }];
  }
  if (name === 'date_time') return [{ type: name, ...range, ...timeOf(value) }];
  throw refusal('Unsupported type specified');
}

function userOf(value: JsonObject): number {
  const user = value['user'];
  if (!isObject(user)) throw refusal('Can\'t find field "user"');
  return requiredInteger(user, 'id');
}

function timeOf(value: JsonObject): Pick<Entity, 'unix_time' | 'date_time_format'> {
  const unix_time = requiredInteger(value, 'unix_time');
  const date_time_format = timeFormat(optionalText(value, 'date_time_format'));
  if (date_time_format === undefined) throw refusal('Invalid date-time format specified');
  return { unix_time, date_time_format };
}

/** Checks what only the core checks. */
function checked(entity: Entity): Entity {
  if (entity.url !== undefined) return checkedLink(entity, entity.url);
  if (entity.custom_emoji_id !== undefined && !isEmojiId(entity.custom_emoji_id)) {
    throw refusal('Invalid custom emoji identifier specified');
  }
  if ((entity.unix_time ?? 1) <= 0) throw refusal('Invalid date specified');
  return entity;
}

function checkedLink(entity: Entity, url: string): Entity {
  const user = mentionedUser(url);
  if (user !== undefined)
    return mentionEntity(user, { offset: entity.offset, length: entity.length });
  const link = checkLink(url);
  if ('fault' in link) throw refusal(`Entity URL '${url}' is invalid: ${link.fault}`);
  return { ...entity, url: link.url };
}
