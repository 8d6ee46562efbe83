// What the configuration of an api source may say.

import { z } from 'zod';
import { FieldName } from '../field-name.ts';
import { answerBounds, HttpAuth, SourceUrl } from '../http-auth.ts';
import { parsePath } from '../json-path.ts';

const Path = z
  .string()
  .max(500)
  .superRefine((text, context) => {
    const path = parsePath(text);
    if (typeof path === 'string') context.addIssue({ code: 'custom', message: path });
  });

const parameter = z.string().min(1).max(100);
const size = {
  size: z.int().min(1).max(1000).describe('How many items a page has.'),
  size_param: parameter.optional().describe('The parameter that says so to the API.'),
};

const Paging = z
  .discriminatedUnion(
    'by',
    [
      z.strictObject({
        by: z.literal('page'),
        param: parameter.default('page').describe('Default: page.'),
        first: z
          .int()
          .min(0)
          .max(1)
          .default(1)
          .describe('The number of the first page. Default: 1.'),
        ...size,
      }),
      z.strictObject({
        by: z.literal('offset'),
        param: parameter.default('offset').describe('Default: offset.'),
        ...size,
      }),
      z.strictObject({
        by: z.literal('cursor'),
        param: parameter.default('cursor').describe('Default: cursor.'),
        next: Path.describe('Where an answer has the cursor of the next page.'),
      }),
      z.strictObject({
        by: z.literal('link'),
        next: Path.optional().describe(
          'Where an answer has the address of the next page. Default: the header Link, rel=next.',
        ),
      }),
    ],
    {
      error: ({ code }) =>
        code === 'invalid_union' ? 'must be page, offset, cursor or link' : undefined,
    },
  )
  .describe('How further pages are asked for. Default: the answer is all.');

export const apiKeys = z.strictObject({
  url: SourceUrl.describe('What is asked, http or https, with the parameters that never change.'),
  method: z.literal('GET').default('GET').describe('A source only reads.'),
  auth: HttpAuth.optional(),
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header'),
      z.string().regex(/^[\x20-\x7e]{0,1000}$/, 'must be of ASCII characters, 1000 at most'),
    )
    .refine(
      (headers) => !Object.keys(headers).some((name) => /^(authorization|cookie)$/i.test(name)),
      'must not hold a secret: auth names where it is',
    )
    .default({})
    .describe('Headers that the API needs. Secrets belong into auth.'),
  items: Path.default('').describe('Where the list of items is. Default: the answer itself.'),
  map: z
    .strictObject({
      item_ref: Path.describe('The item’s own name, the same at every look.'),
      title: Path.optional(),
      text: Path.optional().describe('Plain text.'),
      html: Path.optional().describe('HTML; it becomes text with markup.'),
      url: Path.optional(),
      media: z
        .union([Path, z.array(Path).max(20)], 'must be a path or a list of paths')
        .optional()
        .describe('Addresses, or objects with url and type; [*] names each of a list.'),
      tags: Path.optional().describe('A list, or one text with commas.'),
      date: Path.optional().describe('Becomes the field published.'),
      fields: z.record(FieldName, Path).default({}),
    })
    .describe('What becomes what: a path into each item.'),
  paging: Paging.optional(),
  order: z
    .enum(['newest_first', 'oldest_first'])
    .default('newest_first')
    .describe('The order of the list. Default: newest_first.'),
  max_pages: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe('How many pages one look reads at most. Default: 10.'),
  ...answerBounds,
});

export type ApiKeys = z.output<typeof apiKeys>;
