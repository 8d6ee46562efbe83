// What each platform takes, by its documentation, and in which parts a post goes out there. It is written independently
// of the SQL functions and tables that tests judge by it; Telegram's texts are read by the sandbox.

import { isEmptyOnTelegram, lengthOnTelegram } from './telegram-markup.ts';

export type Platform = 'telegram' | 'max' | 'vk';
export type MediaType = 'image' | 'video' | 'audio' | 'file' | 'animation';
export type Format = 'HTML' | 'Markdown';

/** A text whose reading is known, because the text was made from it. */
export interface Writing {
  readonly source: string;
  /** What a reader sees. On a platform without markup, this is also what is sent. */
  readonly visible: string;
  readonly format?: Format;
  readonly broken?: boolean;
}

/** A medium: a link, a blob in the origin store with its size, or a blob that is missing there. */
export interface Item {
  readonly type: MediaType;
  readonly blob?: { readonly bytes: number | null } | 'missing';
  readonly caption?: string;
}

/** A post. Its title, captions and button texts have no characters that markup would have to escape. */
export interface Draft {
  readonly title?: string;
  readonly text?: Writing;
  readonly media?: readonly Item[];
  readonly buttons?: readonly { readonly text: string; readonly url: string }[];
  readonly sendMode?: 'text' | 'media' | 'mixed';
}

export type Reason =
  | 'markup'
  | 'length'
  | 'bytes'
  | 'empty'
  | 'mode'
  | 'type'
  | 'link'
  | 'store'
  | 'size'
  | 'caption'
  | 'buttons'
  | 'host'
  | 'parts';

/** The plan and the text as it is sent, or every reason to refuse the post. */
type Judgement =
  | { readonly plan: string; readonly sent: string }
  | { readonly reasons: readonly Reason[] };

const mebi = 1024 * 1024;

interface Takes {
  /** Types that may be in one album together. A type that is in none is sent alone. */
  readonly albums: readonly (readonly MediaType[])[];
  readonly bytes: Readonly<Partial<Record<MediaType, number>>>;
  readonly links: boolean;
}

export const takes: Readonly<Record<Platform, Takes>> = {
  telegram: {
    albums: [['image', 'video'], ['audio'], ['file']],
    bytes: {
      image: 10 * mebi,
      video: 50 * mebi,
      audio: 50 * mebi,
      file: 50 * mebi,
      animation: 50 * mebi,
    },
    links: true,
  },
  max: {
    albums: [['image', 'video', 'animation']],
    bytes: {
      image: 50 * mebi,
      video: 250 * mebi,
      audio: 256 * mebi,
      file: 4096 * mebi,
      animation: 50 * mebi,
    },
    links: false,
  },
  vk: {
    albums: [['image', 'animation']],
    bytes: { image: 50 * mebi, animation: 50 * mebi },
    links: false,
  },
};

/** The text of a post as it is sent and as it is read. */
function written(draft: Draft, platform: Platform): { sent: string; read: string } {
  const format = platform === 'vk' ? undefined : draft.text?.format;
  const read: string[] = [];
  const sent: string[] = [];
  if (draft.title !== undefined) {
    read.push(draft.title);
    sent.push(bold(draft.title, platform, format));
  }
  if (draft.text !== undefined) {
    read.push(draft.text.visible);
    sent.push(platform === 'vk' ? draft.text.visible : draft.text.source);
  }
  const captions = (draft.media ?? []).flatMap((item) => item.caption ?? []);
  if (platform !== 'telegram' && captions.length > 0) {
    read.push(captions.join('\n'));
    sent.push(captions.join('\n'));
  }
  if (platform === 'vk' && draft.buttons !== undefined) {
    const lines = draft.buttons.map((button) => `${button.text}: ${button.url}`).join('\n');
    read.push(lines);
    sent.push(lines);
  }
  return { sent: sent.join('\n\n'), read: read.join('\n\n') };
}

function bold(title: string, platform: Platform, format: Format | undefined): string {
  if (format === 'HTML') return `<b>${title}</b>`;
  if (format === 'Markdown') return platform === 'telegram' ? `*${title}*` : `**${title}**`;
  return title;
}

const telegramDialects = { HTML: 'telegram_html', Markdown: 'telegram_markdown' } as const;

/** How long the text is, and how long it may be as a text and as a caption. */
function measured(
  { sent, read }: { sent: string; read: string },
  platform: Platform,
  format: Format | undefined,
): { length: number; text: number; caption: number } {
  if (platform === 'max') return { length: sent.length, text: 4000, caption: 4000 };
  if (platform === 'vk') return { length: read.trim().length, text: 15_000, caption: 15_000 };
  const dialect = format === undefined ? undefined : telegramDialects[format];
  return { length: lengthOnTelegram(sent, dialect), text: 4096, caption: 1024 };
}

export function judge(draft: Draft, platform: Platform): Judgement {
  const text = written(draft, platform);
  const size = measured(text, platform, draft.text?.format);
  const hasText = !isEmptyOnTelegram(text.read);
  const media = draft.media ?? [];
  const reasons = new Set<Reason>(mediaReasons(media, platform));

  if (draft.text?.broken) reasons.add('markup');
  if (platform === 'telegram' && hasText && Buffer.byteLength(text.sent) > 32_768)
    reasons.add('bytes');
  if (draft.sendMode === 'text' && media.length > 0) reasons.add('mode');
  if (draft.sendMode === 'media' && media.length === 0) reasons.add('mode');
  if (!hasText && media.length === 0) reasons.add('empty');

  const wantsKeyboard = draft.buttons !== undefined && platform !== 'vk';
  if (platform === 'telegram' && draft.buttons?.some(({ url }) => !hasDot(url)))
    reasons.add('host');
  const groups = grouped(media, platform);
  const ahead = hasText && (size.length > size.caption || displacesCaptions(groups[0], platform));
  const bearer = groups.findIndex((group) => group.length === 1 || platform === 'max');
  const homeless = wantsKeyboard && !ahead && media.length > 0 && bearer === -1;
  if (homeless && !hasText) reasons.add('buttons');

  const textPart = media.length === 0 || ahead || (homeless && hasText);
  if (textPart && size.length > size.text) reasons.add('length');
  if (groups.length + (textPart ? 1 : 0) > 20) reasons.add('parts');
  if (reasons.size > 0) return { reasons: [...reasons] };

  const lines = groups.map((group, n) => {
    const places = group.map((member) => member.place).join(' ');
    const caption = n === 0 && hasText && !textPart ? ' with text' : '';
    const keyboard = wantsKeyboard && !textPart && n === bearer ? ' with buttons' : '';
    return `${places}${caption}${keyboard}`;
  });
  if (textPart) lines.unshift(wantsKeyboard ? 'text with buttons' : 'text');
  return { plan: lines.join(' | '), sent: text.sent };
}

/** Telegram takes links to a host with a dot in its name, or to an IPv6 address. */
function hasDot(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname.includes('.') || hostname.startsWith('[');
}

interface Member {
  readonly item: Item;
  readonly place: number;
}

function grouped(media: readonly Item[], platform: Platform): Member[][] {
  const groups: Member[][] = [];
  for (const [place, item] of media.entries()) {
    const open = groups.at(-1);
    const first = open?.[0]?.item.type;
    const album = takes[platform].albums.find((types) => types.includes(item.type));
    const joins = first !== undefined && album?.includes(first) === true;
    if (open !== undefined && joins && open.length < 10) open.push({ item, place });
    else groups.push([{ item, place }]);
  }
  return groups;
}

/** An album shows one caption, that of its first item. Only on Telegram do items have captions. */
function displacesCaptions(group: readonly Member[] | undefined, platform: Platform): boolean {
  if (platform !== 'telegram' || group === undefined) return false;
  const captioned = group.filter((member) => member.item.caption !== undefined);
  return captioned.length > 1 || group[0]?.item.caption !== undefined;
}

function* mediaReasons(media: readonly Item[], platform: Platform): Generator<Reason> {
  for (const { type, blob, caption } of media) {
    const most = takes[platform].bytes[type];
    if (most === undefined) yield 'type';
    else if (blob === undefined && !takes[platform].links) yield 'link';
    else if (blob === 'missing') yield 'store';
    else if ((blob?.bytes ?? 0) > most) yield 'size';
    if (platform === 'telegram' && lengthOnTelegram(caption ?? '') > 1024) yield 'caption';
  }
}
