// Texts as the sandbox's Telegram reads them. Its parsers follow Telegram's server, and share nothing with the SQL
// functions that tests judge by them.

import { showsNothing, tidy } from '../../../sandbox/telegram/cleaning.ts';
import type { FormattedText } from '../../../sandbox/telegram/entities.ts';
import { parseHtml } from '../../../sandbox/telegram/html.ts';
import { parseMarkdownV2 } from '../../../sandbox/telegram/markdown-v2.ts';
import { Refusal } from '../../../sandbox/telegram/refusals.ts';
import { codePoints } from '../../../sandbox/telegram/text.ts';

const parsers = { telegram_html: parseHtml, telegram_markdown: parseMarkdownV2 } as const;

export type TelegramDialect = keyof typeof parsers;

/** What readers see of a text, or why Telegram refuses it. */
export interface TelegramReading {
  readonly visible: string | null;
  readonly fault: string | null;
  /** The byte of the visible text at which the first entity begins; left out if the text has links or times. */
  readonly firstEntity?: number | undefined;
}

/** Telegram makes no entity of a link or a time that is not valid, but the SQL functions count their tags. */
const mayBeNoEntity = /<(?:a|tg-time)\b|\[/i;

export function readAsTelegram(dialect: TelegramDialect, text: string): TelegramReading {
  try {
    const formatted = parsers[dialect](text);
    const { text: visible } = formatted;
    return mayBeNoEntity.test(text)
      ? { visible, fault: null }
      : { visible, fault: null, firstEntity: firstEntityIn(formatted) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { visible: null, fault: error.words.replace(/^Can't parse entities: /, '') };
  }
}

function firstEntityIn({ text, entities }: FormattedText): number | undefined {
  if (entities.length === 0) return undefined;
  const first = Math.min(...entities.map(({ offset }) => offset));
  return Buffer.byteLength(text.slice(0, first));
}

/**
 * Whether the sandbox refuses a text in MarkdownV2 that Telegram takes. For Telegram a quote may also end with `||>`, if
 * the last visible character is a carriage return.
 */
export function isMisreadBySandbox(text: string): boolean {
  return text.includes('\r') && text.includes('||>\n');
}

/** How many characters Telegram counts; 0 for a text that it refuses. */
export function lengthOnTelegram(text: string, dialect?: TelegramDialect): number {
  try {
    const formatted = dialect === undefined ? { text, entities: [] } : parsers[dialect](text);
    return codePoints(tidy(formatted).text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return 0;
  }
}

/** Whether readers would see nothing of a text without markup. */
export function isEmptyOnTelegram(text: string): boolean {
  return showsNothing(tidy({ text, entities: [] }).text);
}
