import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { faultOf, render, type Values } from '../support/oracles/templates.ts';

// Any body and any values, against the reading of test/support/oracles/templates.ts.

const database = await useDatabase();

async function inSql(
  body: string,
  { text = '', ...values }: Values = {},
): Promise<{ fault: string | null; rendered: string }> {
  return queryRow(
    database.admin,
    z.object({ fault: z.string().nullable(), rendered: z.string() }),
    `select outrider.template_fault($1) as fault,
       outrider.render_template($1, $2, $3, null) as rendered`,
    [body, JSON.stringify(values), text],
  );
}

const name = fc.constantFrom('a', 'b', 'text', 'x_1');
const blanks = fc.constantFrom('', '', '', ' ', '\t ');
const plain = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(' ', '\n', '\n', '\r\n', '\t', '{', '}', '\\', 'я', '🐕'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
);
const tag = fc
  .tuple(blanks, fc.constantFrom('', '#', '^', '/'), blanks, name, blanks)
  .map(([before, sign, between, named, after]) => `{{${before}${sign}${between}${named}${after}}}`);

/** Mostly broken in one way or another. */
const anyBody = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: tag },
      { weight: 4, arbitrary: plain },
      {
        weight: 1,
        arbitrary: fc.constantFrom('{{', '}}', '{{A}}', '{{}}', '{{a\n}}', '{{#}}', '{{##a}}'),
      },
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(''));

/** Tags in order; text that meets a brace may still break it. */
const { body: orderlyBody } = fc.letrec<{ body: string; section: string; piece: string }>(
  (tie) => ({
    body: fc.array(tie('piece'), { maxLength: 8 }).map((pieces) => pieces.join('')),
    section: fc
      .tuple(blanks, fc.constantFrom('#', '^'), name, tie('body'))
      .map(
        ([blank, sign, named, inside]) =>
          `{{${sign}${named}${blank}}}${inside}{{/${blank}${named}}}`,
      ),
    piece: fc.oneof(
      { maxDepth: 6, withCrossShrink: true },
      { weight: 4, arbitrary: plain },
      {
        weight: 3,
        arbitrary: fc.tuple(blanks, name).map(([blank, named]) => `{{${blank}${named}}}`),
      },
      { weight: 3, arbitrary: tie('section') },
    ),
  }),
);

const value = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'x',
    ' ',
    '\n',
    '\n\n\n',
    '{{a}}',
    '{{#b}}',
    '{{/b}}',
    '{{',
    '}}',
    '\\1',
    '$&',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const values: fc.Arbitrary<Values> = fc.record(
  { a: value, b: value, text: value, x_1: value },
  { requiredKeys: [] },
);

describe('any body', () => {
  it('has a fault exactly where a plain reading finds it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBody, orderlyBody), async (body) => {
        const expected = faultOf(body);
        const { fault } = await inSql(body);
        const { at, says } = expected ?? { at: 0, says: '' };
        const sentence = new RegExp(`^character ${at}: .*${says}`, 'su');
        expect(String(fault)).toMatch(expected === null ? /^null$/u : sentence);
      }),
      { numRuns: 1500 },
    );
  });

  it('without a fault is rendered as a plain reading renders it', async () => {
    await fc.assert(
      fc.asyncProperty(orderlyBody, values, async (body, given) => {
        fc.pre(faultOf(body) === null);
        const { rendered } = await inSql(body, given);
        expect(rendered).toBe(render(body, given));
      }),
      { numRuns: 1500 },
    );
  });
});
