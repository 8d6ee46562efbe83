// reply_markup: reads it, refuses what is wrong with it, and says what a message keeps.

import {
  decode,
  isList,
  isObject,
  type JsonObject,
  optionalFlag,
  optionalList,
  optionalText,
  requiredText,
} from './json.ts';
import { checkLink } from './links.ts';
import type { Parameters } from './parameters.ts';
import { refusal, within } from './refusals.ts';

export interface Button {
  readonly text: string;
  readonly url?: string;
  readonly callback_data?: string;
  /** Any other action, kept as it came. */
  readonly [action: string]: unknown;
}

export type Keyboard = readonly (readonly Button[])[];

const actions = [
  'callback_game',
  'pay',
  'switch_inline_query',
  'switch_inline_query_chosen_chat',
  'switch_inline_query_current_chat',
  'login_url',
  'web_app',
  'copy_text',
];

const callbackBytesMost = 64;
const buttonsMost = 100;
const keyboardBytesMost = 10_240;

/** The inline keyboard of the call; undefined when it has none, or has another kind of markup. */
export function parseKeyboard(parameters: Parameters): Keyboard | undefined {
  const text = parameters.text('reply_markup');
  if (text === '') return undefined;
  const markup = decode(text, "Can't parse reply keyboard markup JSON object");
  if (!isObject(markup)) throw refusal('Object expected as reply markup');
  checkReplyKeyboard(markup);
  const rows = optionalList(markup, 'inline_keyboard')?.map((row) => {
    if (!isList(row)) {
      throw refusal(
        'Field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
      );
    }
    return row.map((button) => within('inline keyboard button', () => inlineButton(button)));
  });
  for (const flag of ['remove_keyboard', 'selective', 'force_reply']) optionalFlag(markup, flag);
  const shown = rows?.map((row) => row.filter((button) => button.text !== ''));
  const filled = shown?.filter((row) => row.length > 0) ?? [];
  return filled.length > 0 ? filled : undefined;
}

/** Checks that Telegram makes only when it sends. */
export function checkKeyboard(keyboard: Keyboard | undefined): void {
  for (const button of keyboard?.flat() ?? []) {
    const link = button.url === undefined ? undefined : checkLink(button.url);
    if (link !== undefined && 'fault' in link) {
      throw refusal(`Inline keyboard button URL '${button.url}' is invalid: ${link.fault}`);
    }
    if (Buffer.byteLength(button.callback_data ?? '') > callbackBytesMost) {
      throw refusal('BUTTON_DATA_INVALID');
    }
  }
  const size = Buffer.byteLength(JSON.stringify(keyboard ?? []));
  if ((keyboard?.flat().length ?? 0) > buttonsMost || size > keyboardBytesMost) {
    throw refusal('REPLY_MARKUP_TOO_LONG');
  }
}

/** The keyboard as messages show it: addresses have the form in which Telegram keeps them. */
export function keptKeyboard(keyboard: Keyboard | undefined): Keyboard | undefined {
  return keyboard?.map((row) =>
    row.map((button) => {
      const link = button.url === undefined ? undefined : checkLink(button.url);
      return link !== undefined && 'url' in link ? { ...button, url: link.url } : button;
    }),
  );
}

function inlineButton(value: unknown): Button {
  if (!isObject(value)) throw refusal('InlineKeyboardButton must be an Object');
  const text = requiredText(value, 'text');
  const url = optionalText(value, 'url');
  if (url !== '') return { text, url };
  const data = optionalText(value, 'callback_data');
  if (data !== '') return { text, callback_data: data };
  const action = actions.find((name) => name in value);
  if (action === undefined) {
    throw refusal('Text buttons are unallowed in the inline keyboard');
  }
  return { text, [action]: value[action] };
}

/** A keyboard below the input field. It is checked, but the sandbox does not show it. */
function checkReplyKeyboard(markup: JsonObject): void {
  for (const row of optionalList(markup, 'keyboard') ?? []) {
    if (!isList(row)) throw refusal('Field "keyboard" must be an Array of Arrays');
    for (const button of row) {
      within('keyboard button', () => {
        if (isObject(button)) return requiredText(button, 'text');
        if (typeof button === 'string') return button;
        throw refusal('KeyboardButton must be a String or an Object');
      });
    }
  }
}
