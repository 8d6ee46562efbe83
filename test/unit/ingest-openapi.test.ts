import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApi } from '../../src/ingest/openapi.ts';
import { statusOf } from '../../src/ingest/refusal.ts';

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
});

describe('openapi.json', () => {
  it('is OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({ ...openApi() });
    expect(errors ?? []).toEqual([]);
    expect([valid, validator.version]).toEqual([true, '3.1']);
  });

  it('refers to schemas that it has', () => {
    const text = JSON.stringify(openApi());
    const found = text.matchAll(/"#\/components\/schemas\/(\w+)"/g);
    const used = new Set([...found].map(([, name = '']) => name));
    const { components } = z
      .object({ components: z.object({ schemas: z.record(z.string(), z.unknown()) }) })
      .parse(openApi());
    expect([...used].toSorted()).toEqual(Object.keys(components.schemas).toSorted());
  });

  it('knows every status of every route', () => {
    const { paths } = Document.parse(openApi());
    const statuses = Object.entries(paths).flatMap(([url, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [
        `${method} ${url}`,
        Object.keys(responses).join(' '),
      ]),
    );
    const elsewhere = [404, 405, 421, 431]; // of addresses and heads, not of a route
    const refusals = Object.values(statusOf).filter((status) => !elsewhere.includes(status));
    const ofPosts = [...new Set([200, 202, ...refusals])].toSorted((a, b) => a - b).join(' ');
    expect(Object.fromEntries(statuses)).toEqual({
      'post /v1/ingest': ofPosts,
      'post /v1/media': '201 400 401 403 408 413 415 422 429 500 503',
      'post /v1/bot/max': '200 400 401 403 408 413 422 429 500 503',
      'post /v1/bot/telegram': '200 400 401 403 408 413 422 429 500 503',
      'get /v1/payloads/{token}': '200 404 500 503',
      'get /healthz': '200',
      'get /readyz': '200 503',
      'get /openapi.json': '200',
      'get /': '200',
    });
  });

  it('says which fields a post has and which it needs', () => {
    expect(openApi()).toMatchObject({
      components: {
        schemas: {
          Post: { additionalProperties: false, properties: { text: expect.anything() } },
          Refused: { required: ['error'] },
        },
      },
    });
  });
});

describe('docs/http.md', () => {
  it('has every code in its table, under its status', () => {
    const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/http.md'), 'utf8');
    const rows = [...text.matchAll(/^\| ([\d, ]+) \| (`.*?`) \|/gm)];
    const documented = rows.flatMap(([, statuses = '', codes = '']) => {
      const each = statuses.split(', ');
      return [...codes.matchAll(/`(\w+)`/g)].map(([, code], index) => [
        code,
        Number(each[index] ?? each[0]),
      ]);
    });
    expect(Object.fromEntries(documented)).toEqual(statusOf);
    expect(documented).toHaveLength(Object.keys(statusOf).length);
  });
});
