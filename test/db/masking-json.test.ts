import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// masking.test.ts shows how texts are masked. This file shows what becomes of the shape, the keys and the numbers of JSON.

const database = await useDatabase();

const botToken = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1';

describe('JSON', () => {
  const cases: readonly (readonly [title: string, value: unknown, becomes: unknown])[] = [
    ['texts at any depth', { a: [{ b: 'ann@example.com' }] }, { a: [{ b: '[email]' }] }],
    ['keys', { '+7 916 123-45-67': { [botToken]: 1 } }, { '[phone]': { '[token]': 1 } }],
    ['a text by itself', botToken, '[token]'],
    ['numbers that are telephone numbers', [79161234567, 89161234567], ['[phone]', '[phone]']],
    ['a token under its key', { token: 'short' }, { token: '[token]' }],
    ['a token that is a number', { token: 12345 }, { token: '[token]' }],
    ['a token that is an object', { token: { value: 'short' } }, { token: '[token]' }],
    [
      'values under keys that name a secret, in several spellings',
      {
        access_token: 'a',
        'api-key': 'b',
        Authorization: 'c',
        client_secret: 'd',
        Cookie: 'e',
        password: 'f',
      },
      {
        access_token: '[token]',
        'api-key': '[token]',
        Authorization: '[token]',
        client_secret: '[token]',
        Cookie: '[token]',
        password: '[token]',
      },
    ],
    [
      'values under such keys in camel case',
      { accessToken: 'a', botToken: 'b', apiKey: 'c', clientSecret: 'd', secretKey: 'e' },
      {
        accessToken: '[token]',
        botToken: '[token]',
        apiKey: '[token]',
        clientSecret: '[token]',
        secretKey: '[token]',
      },
    ],
    [
      'telephone numbers under their keys, in any form',
      {
        phone: '916 123-45-67',
        vcf_phone: 9161234567,
        phone_number: '4915112345678',
        phoneNumber: '4915112345678',
      },
      { phone: '[phone]', vcf_phone: '[phone]', phone_number: '[phone]', phoneNumber: '[phone]' },
    ],
  ];

  it.each(cases)('loses %s', async (_, value, becomes) => {
    expect(await maskJson(value)).toEqual(becomes);
  });

  const untouched: readonly (readonly [title: string, value: unknown])[] = [
    ['ids that are numbers', { chat: { id: -1001234567890 }, message_id: 4211, date: 1772445600 }],
    ['fractions', { latitude: 8.1234567891, price: 7.99 }],
    ['null under a key that names a secret', { token: null, phone: null }],
    ['booleans and nulls', [true, false, null]],
    ['empty values', { list: [], object: {}, text: '' }],
    [
      'values under keys that only resemble one of a secret',
      { tokens_left: 5, telegram: 'ok', keyboard: 'none' },
    ],
    ['values under longer words that contain such a key', { hotel: 'Astoria', author: 'ann' }],
  ];

  it.each(untouched)('keeps %s', async (_, value) => {
    expect(await maskJson(value)).toEqual(value);
  });

  it('is masked at a depth of 5,000', async () => {
    const depth = 5_000;
    const deep = `${'['.repeat(depth)}"ann@example.com"${']'.repeat(depth)}`;
    const { text } = await queryRow(
      database.admin,
      z.object({ text: z.string() }),
      'select outrider.mask_json($1::jsonb)::text as text',
      [deep],
    );
    expect(text).not.toContain('ann@example.com');
  });

  it('masked twice is the same as masked once', async () => {
    await fc.assert(
      fc.asyncProperty(roughJson, async (value) => {
        const once = await maskJson(value);
        expect(await maskJson(once)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps its shape and its keys', async () => {
    await fc.assert(
      fc.asyncProperty(roughJson, async (value) => {
        expect(shape(await maskJson(value))).toEqual(shape(value));
      }),
      { numRuns: 200 },
    );
  });
});

const roughText = fc.oneof(
  fc.constantFrom(botToken, '+7 (916) 123-45-67', 'ann@example.com', 'a ginger dog', ''),
  fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', '')),
);
const key = fc.constantFrom('text', 'id', 'raw', 'list', 'note');
const { json: roughJson } = fc.letrec<{ json: unknown }>((again) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    roughText,
    fc.integer(),
    fc.constantFrom(null, true, 79161234567, -1001234567890, 0.5),
    fc.array(again('json'), { maxLength: 4 }),
    fc.dictionary(key, again('json'), { maxKeys: 4 }),
  ),
}));

/** A value with every leaf replaced by a dot. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return '.';
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]));
}

async function maskJson(value: unknown): Promise<unknown> {
  const row = z.object({ masked: z.unknown() });
  const text = 'select outrider.mask_json($1::jsonb) as masked';
  return (await queryRow(database.admin, row, text, [JSON.stringify(value)])).masked;
}
