import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openPool } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useIngest } from '../support/fixtures/ingest.ts';
import { openIngest, request, send, signingSecrets } from '../support/http/ingest.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { addEndpoint } from '../support/posts/intake.ts';

// Every way that a request can end, with a canary in every place that a secret can have.

const secret = 'canary-of-the-endpoint';
const words = 'canary-of-the-post';
const address = 'canary-of-an-address';
const others = ['canary-of-a-cookie', 'canary-of-a-query', 'canary-of-a-wrong-secret'];

const database = await useDatabase();
const ingest = await useIngest(database);

beforeAll(async () => {
  const { admin } = database;
  await addWorkspace(admin, 'w');
  await addChannel(admin, 'w', 'news');
  await addEndpoint(admin, 'w', secret, { ingress_rps: 1000 });
  const signed = { endpoint_id: 'signed', signing_secret_ref: 'env:PLAIN' };
  await addEndpoint(admin, 'w', `${secret}-2`, { ...signed, ingress_rps: 1000 });
  const slow = { endpoint_id: 'slow', ingress_rps: 0.1 };
  await addEndpoint(admin, 'w', `${secret}-3`, slow);
});

describe('a secret', () => {
  it('is in no answer, no line of the log and no event', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(404).end(words);
    });
    const url = `http://user:${address}@127.0.0.1:${origin.port}/${address}?${address}`;
    const cookie = { cookie: 'session=canary-of-a-cookie' };
    const upload = { method: 'POST', headers: { 'x-outrider-secret': secret }, body: words };
    const away = openPool({ url: `postgresql://x:${secret}@127.0.0.1:1/x`, applicationName: 'x' });
    await using lost = await openIngest(away);

    const replies = [
      await send(ingest, secret, { text: words }, cookie),
      await send(ingest, secret, { text: words }),
      await send(ingest, secret, `{"text": "${words}"`),
      await send(ingest, secret, `{"text": "${words}\\u0000"}`),
      await send(ingest, secret, { text: words, source: 7 }),
      await send(ingest, secret, { text: words.repeat(20_000) }),
      await send(ingest, secret, { text: words }, { 'content-type': `text/${words}` }),
      await send(ingest, secret, { media: [{ type: 'image', url }] }),
      await send(ingest, `${secret}-2`, { text: words }),
      await send(ingest, `${secret}-3`, { text: words, source_ref: '1' }),
      await send(ingest, `${secret}-3`, { text: words, source_ref: '2' }),
      await send(ingest, 'canary-of-a-wrong-secret', { text: words }),
      await send(ingest, undefined, { text: words }),
      await send(lost, secret, { text: words }),
      await request(`${ingest.url}/v1/media`, upload),
      await request(`${ingest.url}/canary-of-a-query?x=canary-of-a-query`, upload),
      await request(`${lost.url}/readyz`),
    ];
    expect(replies.map(({ status }) => status)).toEqual([
      202, 200, 400, 422, 422, 413, 415, 422, 403, 202, 429, 401, 401, 503, 201, 404, 503,
    ]);

    const isLogged = (): boolean => ingest.lines.filter((l) => l.includes('request')).length >= 15;
    await expect.poll(isLogged).toBe(true);
    const log = [...ingest.lines, ...lost.lines].join('');
    const answers = JSON.stringify(replies.map(({ body, headers }) => [body, [...headers]]));
    const events = await queryRows(
      database.admin,
      z.object({ event: z.string() }),
      'select e::text as event from outrider.events e',
    );
    const record = events.map(({ event }) => event).join('\n');
    const canaries = [secret, address, ...others, ...Object.values(signingSecrets)];
    const told = (text: string): string[] => canaries.filter((canary) => text.includes(canary));
    expect({ log: told(log), answers: told(answers), record: told(record) }).toEqual({
      log: [],
      answers: [],
      record: [],
    });
    expect(log).not.toContain(words);
    await away.end();
  });

  it('leaves lines that say what happened all the same', () => {
    const lines = ingest.lines.map((line): unknown => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'request',
        method: 'POST',
        route: '/v1/ingest',
        status: 202,
        workspace_id: 'w',
        run_id: expect.any(String),
        trace_id: expect.any(String),
        duration_ms: expect.any(Number),
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ status: 400, code: 'malformed_json', run_id: expect.any(String) }),
    );
  });
});
