// Posts at, above and below every limit of a platform.

import {
  type Draft,
  type Item,
  type MediaType,
  type Platform,
  takes,
  type Writing,
} from './preflight.ts';
import { type Wrap, wraps } from './preflight-wraps.ts';

const brokenHtml = [
  '<b>a',
  'a</b>',
  '<b><i>a</b></i>',
  '<p>a</p>',
  '<br>',
  '<b a',
  '<span>a</span>',
  '<b>a</i>',
  'a < b',
  '<a href="https://a.b">a',
  `${'<b>'.repeat(50)}a${'</b>'.repeat(49)}`,
];
const brokenMarkdown = '*a _a* `a ```a ||a ~a *_a*_ [a](https://a.b a. a! (a) a-b'.split(' ');
const telegramBroken: readonly Writing[] = [
  ...brokenHtml.map((source) => ({ source, visible: 'a', format: 'HTML', broken: true }) as const),
  ...brokenMarkdown.map(
    (source) => ({ source, visible: 'a', format: 'Markdown', broken: true }) as const,
  ),
];

/** Broken texts that MAX, as far as is known, does not refuse. */
const maxOdd: readonly Writing[] = ['<b>a', 'a</b>', '<b><i>a</b></i>', '<a href="b">a'].map(
  (source) => ({ source, visible: 'a', format: 'HTML' }),
);

const odd = { telegram: telegramBroken, max: maxOdd, vk: telegramBroken } as const;
const textMax = { telegram: 4096, max: 4000, vk: 15_000 } as const;
const everyType: readonly MediaType[] = ['image', 'video', 'audio', 'file', 'animation'];
const button = { text: 'Open', url: 'https://a.b/c' };

export const short: Writing = { source: 'Lost dog', visible: 'Lost dog' };

/** A stored blob of a size that every platform takes. */
export function stored(type: MediaType, caption?: string): Item {
  return { type, blob: { bytes: 1000 }, ...(caption === undefined ? {} : { caption }) };
}

function several(type: MediaType, count: number): Item[] {
  return Array.from({ length: count }, () => stored(type));
}

export function corpus(platform: Platform): Draft[] {
  return [
    ...lengths(platform),
    ...odd[platform].flatMap((text): Draft[] => [
      { text },
      { text, media: [stored('image')] },
      { title: 'Lost', text },
    ]),
    ...albums(platform),
    ...mixtures(),
    ...captions(),
    ...sizes(platform),
    ...modes(),
    ...parts(platform),
    ...hosts(),
    ...(platform === 'telegram' ? [...weights(), ...blanks()] : []),
  ];
}

/** A text in a markup with that length, as the platform counts it. */
function writing(platform: Platform, wrap: Wrap, fill: string, length: number): Writing {
  const shownAfter = platform === 'vk' ? (wrap.flat ?? '') : '';
  const around = platform === 'max' ? wrap.open.length + wrap.close.length : shownAfter.length;
  const room = Math.max(length - around, 1);
  const unit = platform === 'telegram' ? Array.from(fill).length : fill.length;
  const body = fill.repeat(Math.floor(room / unit)).padEnd(1, 'a');
  const text = body + 'a'.repeat(Math.max(room - unit * Math.floor(room / unit), 0));
  return {
    source: wrap.open + text + wrap.close,
    visible: text + shownAfter,
    ...(wrap.format === undefined ? {} : { format: wrap.format }),
  };
}

function* lengths(platform: Platform): Generator<Draft> {
  const most = [textMax[platform], ...(platform === 'telegram' ? [1024] : [])];
  const media = [undefined, [stored('image')], several('image', 2), several('image', 11)];
  for (const wrap of wraps[platform]) {
    for (const fill of ['a', 'ж', '😀']) {
      for (const length of most.flatMap((max) => [max - 1, max, max + 1])) {
        const text = writing(platform, wrap, fill, length);
        for (const items of media) yield items === undefined ? { text } : { text, media: items };
      }
    }
  }
  for (const length of most.flatMap((max) => [max - 8, max - 7, max - 6, max - 5])) {
    for (const wrap of wraps[platform].slice(0, 3)) {
      yield { title: 'Title', text: writing(platform, wrap, 'a', length) };
      yield {
        title: 'Title',
        text: writing(platform, wrap, '😀', length),
        media: [stored('image')],
      };
      const padded = `  ${'a'.repeat(length + 6)}\n\n`;
      yield { text: { source: padded, visible: padded } };
    }
  }
  for (const blank of ['', ' ', '\n\n', ' \t\n']) {
    yield { text: { source: blank, visible: blank } };
    yield { text: { source: blank, visible: blank }, media: [stored('image')] };
    yield { text: { source: `<b>${blank}</b>`, visible: blank, format: 'HTML' } };
  }
}

function* albums(platform: Platform): Generator<Draft> {
  const long = writing(platform, { open: '', close: '' }, 'a', textMax[platform]);
  for (const type of everyType) {
    for (const count of [0, 1, 2, 9, 10, 11, 20, 21]) {
      for (const text of [undefined, short, long]) {
        for (const buttons of [undefined, [button], [button, button]]) {
          yield {
            ...(count === 0 ? {} : { media: several(type, count) }),
            ...(text === undefined ? {} : { text }),
            ...(buttons === undefined ? {} : { buttons }),
          };
        }
      }
    }
  }
}

function* mixtures(): Generator<Draft> {
  for (const a of everyType) {
    for (const b of everyType) {
      for (const c of everyType) {
        const media = [stored(a), stored(b), stored(c)];
        yield { text: short, media };
        yield { media, buttons: [button] };
      }
    }
    const behind = [...several('image', 10), stored(a), ...several('image', 2)];
    yield { text: short, media: behind, buttons: [button] };
  }
}

function* captions(): Generator<Draft> {
  for (const type of ['image', 'file', 'animation'] as const) {
    for (const captioned of [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]]) {
      const media = [0, 1, 2].map((n) => stored(type, captioned.includes(n) ? `c${n}` : undefined));
      yield { media };
      yield { text: short, media };
      yield { text: short, media, buttons: [button] };
    }
    for (const length of [1023, 1024, 1025, 4096]) {
      for (const fill of ['a', 'ж', '😀']) {
        yield { media: [stored(type, fill.repeat(length))] };
        yield { text: short, media: [stored(type), stored(type, fill.repeat(length))] };
      }
    }
  }
}

function* sizes(platform: Platform): Generator<Draft> {
  for (const type of everyType) {
    const most = takes[platform].bytes[type] ?? 1000;
    for (const bytes of [null, 0, 1, most - 1, most, most + 1]) {
      yield { media: [{ type, blob: { bytes } }] };
      yield { media: [stored('image'), { type, blob: { bytes } }], text: short };
    }
    yield { media: [{ type }] };
    yield { media: [stored(type), { type }], text: short };
    yield { media: [{ type, blob: 'missing' }] };
    yield { media: [{ type }, { type, blob: 'missing' }], text: short };
  }
}

function* modes(): Generator<Draft> {
  for (const sendMode of ['text', 'media', 'mixed'] as const) {
    yield { sendMode, text: short };
    yield { sendMode, media: [stored('image')] };
    yield { sendMode, text: short, media: several('image', 2), buttons: [button] };
  }
}

/** Posts with as many parts as a delivery may have, one more and one less. */
function* parts(platform: Platform): Generator<Draft> {
  const alone: MediaType =
    platform === 'telegram' ? 'animation' : platform === 'max' ? 'file' : 'image';
  const long = writing(platform, { open: '', close: '' }, 'a', textMax[platform]);
  for (const count of [19, 20, 21]) {
    yield { media: several(alone, count) };
    yield { text: short, media: several(alone, count) };
    yield { text: long, media: several(alone, count) };
    yield { text: short, media: several(alone, count), buttons: [button] };
    yield { media: Array.from({ length: count }, (_, n) => stored(n % 2 === 0 ? 'image' : alone)) };
  }
  yield { media: several('image', 100) };
}

/** Texts that are short to read and, with their markup, long to send. */
function* weights(): Generator<Draft> {
  const at = (ending: string): Writing => ({
    source: '<b>a</b>'.repeat(4095) + ending,
    visible: 'a'.repeat(4095) + ending.replaceAll(/<[^>]*>/g, ''),
    format: 'HTML',
  });
  for (const ending of ['a', '<b>a</b>', '<b>ж</b>', '<tg-spoiler>a</tg-spoiler>']) {
    yield { text: at(ending) };
  }
  const link = '<a href="https://a.b/cccccccccc">a</a>';
  for (const count of [862, 863, 1000, 1024]) {
    const text: Writing = {
      source: link.repeat(count),
      visible: 'a'.repeat(count),
      format: 'HTML',
    };
    yield { text, media: [stored('image')] };
    yield { text, media: several('image', 2) };
  }
}

/** Buttons that lead to hosts of every kind. */
function* hosts(): Generator<Draft> {
  const urls =
    'http://localhost/a.b http://[::1]/ https://u.v@intranet:8080/ http://127.0.0.1/ https://a./';
  for (const url of urls.split(' ')) {
    yield { text: short, buttons: [button, { text: 'Open', url }] };
    yield { media: [stored('image')], buttons: [{ text: 'Open', url }] };
  }
}

/** Blanks, and characters that Telegram drops: before, inside and behind text that is bold, linked or code. */
function* blanks(): Generator<Draft> {
  for (const { format, open, close } of wraps.telegram) {
    for (const max of [1024, 4096]) {
      for (const [before, within, behind] of [
        ['', ' ', ''],
        ['', '\n', ''],
        [' ', '', ''],
        [' \n', '\t ', ''],
        ['\u202e ', '\u0333 ', ''],
        ['', '\u202e', ' '],
        ['', '\u00a0', '\r\u2028 '],
        ['a', ' \u030a', ''],
      ] as const) {
        for (const length of [max - 2, max - 1, max]) {
          const text: Writing = {
            source: `${before}${open}${within}${'a'.repeat(length)}${behind}${close}${behind}`,
            visible: `${before}${within}${'a'.repeat(length)}${behind}${behind}`,
            ...(format === undefined ? {} : { format }),
          };
          yield max === 4096 ? { text } : { text, media: [stored('image')] };
        }
      }
    }
  }
  for (const unseen of ['\u0333', '\u033f\u030a', ' \u202e\n', '\u2800\ufffc', '\u{e0020}']) {
    yield { text: { source: unseen, visible: unseen } };
    yield { text: { source: `<b>${unseen}</b>`, visible: unseen, format: 'HTML' } };
    yield { text: { source: unseen, visible: unseen }, media: [stored('image')] };
  }
  const caption = `\u202e ${'a'.repeat(1024)}\u0333\n`;
  yield { media: [stored('image', caption)] };
  yield { media: [stored('image', `${caption}a`)] };
}
