import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { rawPost } from '../support/posts/random-posts.ts';

const database = await useDatabase();

async function faultOf(raw: unknown): Promise<string | null> {
  const row = z.object({ fault: z.string().nullable() });
  const sql = 'select outrider.payload_fault($1) as fault';
  return (await queryRow(database.admin, row, sql, [JSON.stringify(raw)])).fault;
}

const post = { text: 'Lost' };
const image = { type: 'image', url: 'https://a.example/1.jpg' };
const button = { text: 'Call', url: 'https://a.example/' };
const long = (length: number, unit = 'x'): string => unit.repeat(length);
const many = <Each>(length: number, each: Each): Each[] => Array.from({ length }, () => each);
const address = (length: number): string => `https://a.example/${long(length - 18)}`;
const fields = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 'x']));
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

const none = 'a post needs a text, a title, a link or media; this one has none of them';
const postKeys =
  'buttons, disable_preview, fields, links, media, parse_mode, scheduled_for, source, source_ref, tags, text, title, trace_id, url, workspace_id';
const fieldNames = 'a name is a letter of a to z, then up to 63 of a to z, 0 to 9 and _';
const scalars = 'must be a string, a number, a boolean or null, not';
const tooDeep = 'source is nested more than 32 levels deep, which is the limit';
const tooLongNumber =
  'source holds a number with more than 100 digits before or after its point, which is the limit';

const faults: readonly (readonly [raw: unknown, fault: string])[] = [
  // the post
  [[], 'a post must be an object, not an array'],
  ['Lost', 'a post must be an object, not a string'],
  [7, 'a post must be an object, not a number'],
  [true, 'a post must be an object, not a boolean'],
  [null, 'a post must be an object, not null'],
  [{}, none],
  [{ text: '', title: '' }, none],
  [{ text: ' \n\u00a0\t\u0001' }, none],
  [{ links: [], media: [], tags: ['a'], fields: { a: 1 }, buttons: [[button]] }, none],
  [{ text: null, title: null, url: null, links: null, media: null }, none],
  [{ ...post, colour: 'red' }, `a post cannot have "colour", only ${postKeys}`],
  [{ ...post, type: 'text' }, `a post cannot have "type", only ${postKeys}`],
  [{ ...post, Text: null }, `a post cannot have "Text", only ${postKeys}`],
  [{ ...post, [long(99, 'k')]: 1 }, `a post cannot have "${long(60, 'k')}…", only ${postKeys}`],
  [{ ...post, 'a"\n': 1 }, `a post cannot have "a\\"\\n", only ${postKeys}`],
  // types
  [{ text: 7 }, 'text must be a string, not a number'],
  [{ text: ['Lost'] }, 'text must be a string, not an array'],
  [{ title: {} }, 'title must be a string, not an object'],
  [{ url: false }, 'url must be a string, not a boolean'],
  [{ ...post, links: 'https://a.example/' }, 'links must be an array, not a string'],
  [{ ...post, media: image }, 'media must be an array, not an object'],
  [{ ...post, buttons: 1 }, 'buttons must be an array, not a number'],
  [{ ...post, disable_preview: 'yes' }, 'disable_preview must be a boolean, not a string'],
  [{ ...post, fields: [] }, 'fields must be an object, not an array'],
  [{ ...post, tags: 'news' }, 'tags must be an array, not a string'],
  [{ ...post, source: 'rss' }, 'source must be an object, not a string'],
  [{ ...post, source_ref: 7 }, 'source_ref must be a string, not a number'],
  [{ ...post, scheduled_for: 7 }, 'scheduled_for must be a string, not a number'],
  [{ ...post, trace_id: 7 }, 'trace_id must be a string, not a number'],
  [{ ...post, parse_mode: 7 }, 'parse_mode must be a string, not a number'],
  // texts
  [{ text: long(65_537) }, 'text has 65537 characters; the limit is 65536'],
  [{ title: long(1001, 'я') }, 'title has 1001 characters; the limit is 1000'],
  [{ ...post, parse_mode: 'html' }, 'parse_mode "html" is not one of HTML, Markdown, None'],
  [{ ...post, parse_mode: '' }, 'parse_mode "" is not one of HTML, Markdown, None'],
  [{ ...post, source_ref: long(257, 'я') }, 'source_ref has 514 bytes; the limit is 512'],
  [{ ...post, trace_id: '' }, 'trace_id is empty'],
  [{ ...post, trace_id: 'a\u001b[2J' }, 'trace_id holds a control character'],
  [{ ...post, trace_id: 'a\u2028b' }, 'trace_id holds a control character'],
  [{ ...post, trace_id: long(129) }, 'trace_id has 129 characters; the limit is 128'],
  // links
  [{ url: 'ftp://a.example/1' }, 'url "ftp://a.example/1" is not an http(s) address'],
  [{ url: '' }, 'url "" is not an http(s) address'],
  [{ url: 'a.example' }, 'url "a.example" is not an http(s) address'],
  [{ url: 'https://a b.example' }, 'url "https://a b.example" is not an http(s) address'],
  [{ url: 'javascript:alert(1)' }, 'url "javascript:alert(1)" is not an http(s) address'],
  [{ url: address(2049) }, 'url has 2049 characters; the limit is 2048'],
  [{ links: [button.url, 'https://'] }, 'links[1] "https://" is not an http(s) address'],
  [{ links: [button.url, 7] }, 'links[1] must be a string, not a number'],
  [{ links: [null] }, 'links[0] must be a string, not null'],
  [{ links: [address(2049)] }, 'links[0] has 2049 characters; the limit is 2048'],
  [{ links: many(21, button.url) }, 'links has 21 entries; the limit is 20'],
  // media
  [{ media: many(101, image) }, 'media has 101 entries; the limit is 100'],
  [{ media: [image, 'https://a.example/'] }, 'media[1] must be an object, not a string'],
  [{ media: [null] }, 'media[0] must be an object, not null'],
  [
    { media: [{ ...image, size: 1 }] },
    'media[0] cannot have "size", only blob_ref, caption, filename, type, url',
  ],
  [{ media: [{ url: image.url }] }, 'media[0] has no type'],
  [{ media: [{ ...image, type: 7 }] }, 'media[0].type must be a string, not a number'],
  [
    { media: [{ ...image, type: 'Image' }] },
    'media[0].type "Image" is not one of image, video, audio, file, animation',
  ],
  [{ media: [{ type: 'image' }] }, 'media[0] has neither url nor blob_ref'],
  [{ media: [{ ...image, blob_ref: 'b' }] }, 'media[0] has both url and blob_ref; give one'],
  [
    { media: [image, image, { ...image, url: 'ftp://a.example/1' }] },
    'media[2].url "ftp://a.example/1" is not an http(s) address',
  ],
  [
    { media: [{ ...image, url: address(2049) }] },
    'media[0].url has 2049 characters; the limit is 2048',
  ],
  [{ media: [{ type: 'image', blob_ref: '' }] }, 'media[0].blob_ref is empty'],
  [
    { media: [{ type: 'image', blob_ref: long(257) }] },
    'media[0].blob_ref has 257 characters; the limit is 256',
  ],
  [
    { media: [{ ...image, caption: long(4097) }] },
    'media[0].caption has 4097 characters; the limit is 4096',
  ],
  [
    { media: [{ ...image, filename: long(256) }] },
    'media[0].filename has 256 characters; the limit is 255',
  ],
  // buttons
  [{ ...post, buttons: many(11, [button]) }, 'buttons has 11 entries; the limit is 10'],
  [{ ...post, buttons: [button] }, 'buttons[0] must be an array, not an object'],
  [{ ...post, buttons: [[button], []] }, 'buttons[1] has 0 buttons; a row has 1 to 3'],
  [{ ...post, buttons: [many(4, button)] }, 'buttons[0] has 4 buttons; a row has 1 to 3'],
  [{ ...post, buttons: [[button, 'Call']] }, 'buttons[0][1] must be an object, not a string'],
  [
    { ...post, buttons: [[{ ...button, id: 1 }]] },
    'buttons[0][0] cannot have "id", only payload, text, url',
  ],
  [{ ...post, buttons: [[{ url: button.url }]] }, 'buttons[0][0] has no text'],
  [{ ...post, buttons: [[{ text: 'Call' }]] }, 'buttons[0][0] has neither a url nor a payload'],
  [
    { ...post, buttons: [[{ ...button, payload: 'call' }]] },
    'buttons[0][0] has a url and a payload; a button has one of them',
  ],
  [
    { ...post, buttons: [[{ text: 'Call', payload: 'я'.repeat(33) }]] },
    'buttons[0][0].payload is 66 bytes long; 1 to 64 are allowed',
  ],
  [
    { ...post, buttons: [[{ text: 'Call', payload: '' }]] },
    'buttons[0][0].payload is 0 bytes long; 1 to 64 are allowed',
  ],
  [
    { ...post, buttons: [[{ text: 'Call', payload: 7 }]] },
    'buttons[0][0].payload must be a string, not a number',
  ],
  [{ ...post, buttons: [[button], [{ ...button, text: ' ' }]] }, 'buttons[1][0].text is empty'],
  [
    { ...post, buttons: [[{ ...button, text: long(65) }]] },
    'buttons[0][0].text has 65 characters; the limit is 64',
  ],
  [
    { ...post, buttons: [[button, { ...button, url: 'tel:1' }]] },
    'buttons[0][1].url "tel:1" is not an http(s) address',
  ],
  // fields
  [{ ...post, fields: fields(101) }, 'fields has 101 entries; the limit is 100'],
  [{ ...post, fields: { Price: 1 } }, `fields cannot have the name "Price": ${fieldNames}`],
  [{ ...post, fields: { '': 1 } }, `fields cannot have the name "": ${fieldNames}`],
  [
    { ...post, fields: { [long(65, 'a')]: 1 } },
    `fields cannot have the name "${long(60, 'a')}…": ${fieldNames}`,
  ],
  ...['text', 'title', 'url', 'links', 'tags'].map(
    (name) =>
      [
        { ...post, fields: { [name]: 'x' } },
        `fields.${name} has a name that stands for the post’s own ${name} in templates; choose another`,
      ] as const,
  ),
  [{ ...post, fields: { price: [1] } }, `fields.price ${scalars} an array`],
  [{ ...post, fields: { price: {} } }, `fields.price ${scalars} an object`],
  [{ ...post, fields: { a: long(4097) } }, 'fields.a has 4097 characters; the limit is 4096'],
  // tags
  [{ ...post, tags: many(101, 'a') }, 'tags has 101 entries; the limit is 100'],
  [{ ...post, tags: many(10_000, 'a') }, 'tags has 10000 entries; the limit is 100'],
  [{ ...post, tags: ['a', 7] }, 'tags[1] must be a string, not a number'],
  [{ ...post, tags: ['a', null] }, 'tags[1] must be a string, not null'],
  [{ ...post, tags: [''] }, 'tags[0] is empty'],
  [{ ...post, tags: ['a', ' \n'] }, 'tags[1] is empty'],
  [{ ...post, tags: [long(257, 'я')] }, 'tags[0] has 514 bytes; the limit is 512'],
  // source
  [{ ...post, source: { a: long(8200) } }, 'source has 8209 bytes as JSON; the limit is 8192'],
  [{ ...post, source: nested(33) }, tooDeep],
  [{ ...post, source: { a: 1e100 } }, tooLongNumber],
  [{ ...post, source: { a: [-1e300] } }, tooLongNumber],
  [{ ...post, source: { a: { b: 1e-300 } } }, tooLongNumber],
];

const accepted: readonly (readonly [title: string, raw: unknown])[] = [
  ['a text', post],
  ['a title alone', { title: 'Lost' }],
  ['an address alone', { url: ' HTTPS://Example.com ' }],
  [
    'links alone',
    { links: ['http://a.example:8080?a#b', 'https://[::1]/', 'https://пример.рф/ё'] },
  ],
  ['media alone', { media: [{ type: 'photo', blob_ref: 'b' }] }],
  [
    'every type of media',
    {
      media: ['image', 'video', 'audio', 'file', 'animation', 'photo', 'document', 'gif'].map(
        (type) => ({ ...image, type }),
      ),
    },
  ],
  [
    'nulls for what is absent',
    {
      ...post,
      title: null,
      url: null,
      links: null,
      buttons: null,
      fields: null,
      tags: null,
      source: null,
      source_ref: null,
      scheduled_for: null,
      trace_id: null,
      parse_mode: null,
      disable_preview: null,
      media: [{ type: 'image', blob_ref: 'b', url: null, caption: null, filename: null }],
    },
  ],
  [
    'every part at its limit',
    {
      text: long(65_536),
      title: long(1000, '👍'),
      links: many(20, address(2048)),
      buttons: many(10, many(3, { ...button, text: long(64, 'я') })),
      fields: { ...fields(98), [long(64, 'a')]: long(4096, 'я'), n: null },
      tags: [...many(99, 'a'), long(256, 'я')],
      source: { a: long(8183) },
      source_ref: long(256, 'я'),
      trace_id: long(128),
      media: many(100, {
        type: 'file',
        blob_ref: long(256),
        filename: long(255),
        caption: long(4096),
      }),
    },
  ],
  [
    'a button with a payload of 64 bytes',
    { ...post, buttons: [[button, { text: 'Call', payload: long(32, 'я'), url: null }]] },
  ],
  [
    'a source of 32 levels and of any content',
    { ...post, source: { a: [1e99, -0.5, nested(29), 'x', null, true] } },
  ],
  [
    'any workspace_id',
    { ...post, workspace_id: { deep: nested(50), number: 1e300, long: long(2 ** 21) } },
  ],
];

describe('a post', () => {
  it.each(faults.map(([raw, fault]) => [fault, raw]))('is refused: %s', async (fault, raw) => {
    expect(await faultOf(raw)).toBe(fault);
  });

  it.each(accepted)('with %s is accepted', async (_, raw) => {
    expect(await faultOf(raw)).toBeNull();
  });

  it('that is not there at all is refused', async () => {
    const row = z.object({ fault: z.string() });
    const sql = 'select outrider.payload_fault(null) as fault';
    expect(await queryRow(database.admin, row, sql)).toEqual({ fault: 'there is no post' });
  });

  it('made of lawful parts is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(rawPost, async (raw) => {
        expect(await faultOf(raw)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
