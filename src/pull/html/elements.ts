// What each element of HTML means for a text. An element that is not listed is part of its line.

import type { Tag } from './markup-writer.ts';

/** Elements that readers never see as text. */
export const unseen: ReadonlySet<string> = new Set([
  'area',
  'audio',
  'base',
  'canvas',
  'datalist',
  'embed',
  'frameset',
  'head',
  'iframe',
  'input',
  'link',
  'map',
  'math',
  'meta',
  'noframes',
  'noscript',
  'object',
  'optgroup',
  'option',
  'progress',
  'script',
  'select',
  'style',
  'svg',
  'template',
  'textarea',
  'title',
  'video',
]);

/** Blocks with the lines that a reader sees between them and what is around them. */
export const blocks: ReadonlyMap<string, 1 | 2> = new Map<string, 1 | 2>([
  ...(
    'address article aside body center dd details dialog dir div dl dt fieldset figcaption ' +
    'figure footer form header hgroup legend li main menu nav ol search section summary table ' +
    'caption tbody tfoot thead tr ul'
  )
    .split(' ')
    .map((name) => [name, 1] as const),
  ...'blockquote h1 h2 h3 h4 h5 h6 hr listing p plaintext pre xmp'
    .split(' ')
    .map((name) => [name, 2] as const),
]);

export const marks: ReadonlyMap<string, Tag> = new Map<string, Tag>([
  ['b', 'b'],
  ['strong', 'b'],
  ['th', 'b'],
  ['h1', 'b'],
  ['h2', 'b'],
  ['h3', 'b'],
  ['h4', 'b'],
  ['h5', 'b'],
  ['h6', 'b'],
  ['i', 'i'],
  ['em', 'i'],
  ['cite', 'i'],
  ['dfn', 'i'],
  ['var', 'i'],
  ['u', 'u'],
  ['ins', 'u'],
  ['s', 's'],
  ['strike', 's'],
  ['del', 's'],
  ['code', 'code'],
  ['kbd', 'code'],
  ['samp', 'code'],
  ['tt', 'code'],
  ['pre', 'pre'],
  ['listing', 'pre'],
  ['plaintext', 'pre'],
  ['xmp', 'pre'],
  ['blockquote', 'blockquote'],
]);
