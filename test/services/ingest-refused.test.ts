import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { Refused } from '../../src/ingest/refusal.ts';
import { checksums } from '../support/database/catalogue.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useIngest } from '../support/fixtures/ingest.ts';
import { type Reply, refusalIn, send } from '../support/http/ingest.ts';
import { sendRaw } from '../support/http/raw-socket.ts';
import { addEndpoint } from '../support/posts/intake.ts';

const database = await useDatabase();
const ingest = await useIngest(database);
let workspaceId: string;
let secret: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  secret = `s3cret-${workspaceId}`;
  await addChannel(database.admin, workspaceId, 'news');
  await addEndpoint(database.admin, workspaceId, secret, { ingress_rps: 1000 });
});

/** All rows but those that a refusal may leave. */
async function rows(): Promise<Record<string, string>> {
  const every = await checksums(database.admin);
  const kept = Object.entries(every).filter(
    ([table]) => !/^(event_log|events_.*|ingest_runs|endpoint_pace)$/.test(table),
  );
  return Object.fromEntries(kept);
}

const Event = z.object({
  action: z.string(),
  run_id: z.string(),
  endpoint_id: z.string(),
  reason: z.string().nullable(),
  counts: z.record(z.string(), z.unknown()),
});

/** The reply to a body, which must leave one event, one run and nothing else. */
async function refused(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ reply: Reply; reason: string | null }> {
  const before = await rows();
  const reply = await send(ingest, secret, body, headers);
  expect(await rows()).toEqual(before);
  expect(() => Refused.parse(reply.body)).not.toThrow();
  const events = await queryRows(
    database.admin,
    Event,
    `select e.action::text, e.meta ->> 'run_id' as run_id, e.meta ->> 'endpoint_id' as endpoint_id,
       e.meta ->> 'reason' as reason, r.stats_json as counts
     from outrider.events e
     join outrider.ingest_runs r on r.workspace_id = e.workspace_id and r.run_id = e.meta ->> 'run_id'
     where e.workspace_id = $1 and e.result = 'error' and e.attempt = 0`,
    [workspaceId],
  );
  expect(events).toEqual([
    {
      action: 'ingress_payload_rejected',
      run_id: reply.body['run_id'],
      endpoint_id: 'push',
      reason: events[0]?.reason,
      counts: { endpoint_id: 'push', payload_rejected: 1 },
    },
  ]);
  return { reply, reason: events[0]?.reason ?? null };
}

describe('a body that is too large', () => {
  it('for the endpoint is refused, with the limit', async () => {
    const { reply } = await refused({ text: 'x'.repeat(262_144) });
    expect(reply.status).toBe(413);
    expect(refusalIn(reply)).toMatchObject({
      code: 'payload_too_large',
      message: 'the body is larger than 262144 bytes (max_payload_bytes)',
      max_payload_bytes: 262_144,
    });
  });

  it('for any endpoint is refused by its declared length, before a byte of it is read', async () => {
    const head = `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${secret}\r\n`;
    const socket = await sendRaw(ingest.url, `${head}Content-Length: 1048577\r\n\r\n`);
    expect(await socket.until((text) => text.includes('\r\n\r\n{'))).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('is refused where it passes the limit if its length is not declared', async () => {
    await database.admin.query(
      'update outrider.workspace_endpoints set max_payload_bytes = 10000000 where workspace_id = $1',
      [workspaceId],
    );
    const before = await rows();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(Buffer.alloc(65_536, ' '));
        if (sent > 2 ** 21) controller.close();
      },
    });
    const response = await fetch(`${ingest.url}/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-outrider-secret': secret },
      body,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { max_payload_bytes: 1_048_576 } });
    expect(await rows()).toEqual(before);
  });

  it('is taken to the last byte that the endpoint takes', async () => {
    const post = { text: 'Lost', source: { note: '' } };
    const rest = 262_144 - JSON.stringify(post).length;
    const reply = await send(ingest, secret, `${JSON.stringify(post)}${' '.repeat(rest)}`);
    expect(reply.status).toBe(202);
  });
});

describe('a body that is not JSON', () => {
  it.each([
    ['a brace too few', '{"text": "Lost"', 'line 1, column 16'],
    ['a comma too many', '{\n  "text": "Lost",\n}', 'line 3, column 1'],
    ['a word', 'Lost', 'line 1, column 1'],
    ['a line feed within a text', '{"text": "Lost\nand found"}', 'line 1, column 15'],
    ['two posts', '{"text": "Пёс"}\n{"text": "Кот"}', 'line 2, column 1'],
  ])('is refused with the place where it breaks: %s', async (_title, body, where) => {
    const { reply, reason } = await refused(body);
    expect(reply.status).toBe(400);
    expect(refusalIn(reply)).toMatchObject({
      code: 'malformed_json',
      message: `the body is not JSON: it breaks at ${where}`,
    });
    expect(reason).toBe(refusalIn(reply).message);
  });

  it('is refused if it is empty', async () => {
    const { reply } = await refused('');
    expect([reply.status, refusalIn(reply).code]).toEqual([400, 'malformed_json']);
  });

  it('is refused if it is not UTF-8, with the place', async () => {
    const { reply } = await refused(Buffer.from('{"text":\n "caf\xe9"}', 'latin1'));
    expect(reply.status).toBe(400);
    expect(refusalIn(reply).message).toBe(
      'the body is not UTF-8: line 2, column 6 is no character',
    );
  });

  it('may begin with a byte order mark', async () => {
    expect((await send(ingest, secret, '\ufeff{"text": "Lost"}')).status).toBe(202);
  });
});

describe('a body that is said to be something else', () => {
  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a text', { 'content-type': 'text/plain' }],
    ['nothing that can be read', { 'content-type': 'json' }],
    ['nothing', { 'content-type': '' }],
    ['JSON in another charset', { 'content-type': 'application/json; charset=windows-1251' }],
    ['packed', { 'content-encoding': 'gzip' }],
  ])('is refused, though it is a post: %s', async (_title, headers) => {
    const { reply } = await refused({ text: 'Lost' }, headers);
    expect(reply.status).toBe(415);
    expect(refusalIn(reply)).toMatchObject({
      code: 'unsupported_media_type',
      hint: expect.stringContaining('application/json'),
    });
  });

  it('is refused if it is said to be two things, though the first is JSON', async () => {
    const body = '{"text": "Lost"}';
    const head = `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n`;
    const types = 'Content-Type: application/json\r\nContent-Type: text/plain\r\n';
    const length = `Content-Length: ${body.length}\r\n\r\n`;
    const socket = await sendRaw(ingest.url, `${head}${types}${length}${body}`);
    const answer = await socket.until((text) => text.endsWith('}'));
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).toContain('the request has several content-types');
    socket.destroy();
  });

  it.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/vnd.post+json'])(
    'is a post if that is only another way to say JSON: %s',
    async (type) => {
      const reply = await send(ingest, secret, { text: 'Lost' }, { 'content-type': type });
      expect(reply.status).toBe(202);
    },
  );
});

describe('a body that is JSON and no post', () => {
  it.each([
    ['a list', '[{"text": "Lost"}]', 'a post must be an object, not an array'],
    ['null', 'null', 'a post must be an object, not null'],
    ['a number', '7', 'a post must be an object, not a number'],
    ['a text that is none', '{"text": 7}', 'text must be a string, not a number'],
    [
      'an address that is none',
      '{"media": [{"type": "image", "url": "ftp://example.org"}]}',
      'media[0].url "ftp://example.org" is not an http(s) address',
    ],
    [
      'a NUL',
      '{"text": "Lo\\u0000st"}',
      'a text of the post holds the character U+0000, which cannot be kept',
    ],
    [
      'half a character',
      '{"text": "Lo\\ud800st"}',
      'a text of the post holds half of a surrogate pair (\\ud800 to \\udfff alone), which cannot be kept',
    ],
    [
      'endless nesting',
      `{"source": ${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
      'the post is nested too deeply',
    ],
    ...[101, 6000, 100_000].map((depth): [string, string, string] => [
      `${depth} levels of what is not looked at, and media to be copied`,
      `{"media": [{"type": "image", "url": "https://example.org/a.png"}], "workspace_id": ${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`,
      'the post is nested too deeply',
    ]),
    [
      'a number beyond all',
      '{"fields": {"n": 1e200000}}',
      'a number of the post is too large to be kept',
    ],
  ])('is refused in words: %s', async (_title, body, message) => {
    const { reply, reason } = await refused(body);
    expect(reply.status).toBe(422);
    expect(refusalIn(reply)).toEqual({ code: 'post_refused', message });
    expect(reason).toBe(message);
  });

  it('is a post if it has no more than a hundred levels', async () => {
    const deep = `{"text": "Lost", "workspace_id": ${'['.repeat(99)}${']'.repeat(99)}}`;
    expect((await send(ingest, secret, deep)).status).toBe(202);
  });

  it('is refused and may be sent again under the same source_ref', async () => {
    await refused({ text: 7, source_ref: 'post-1' });
    expect((await send(ingest, secret, { text: 'Lost', source_ref: 'post-1' })).status).toBe(202);
  });
});

describe('what does not get past the gate', () => {
  it('leaves no trace at all without a secret or with a wrong one', async () => {
    const before = await checksums(database.admin);
    await send(ingest, undefined, { text: 'Lost' });
    await send(ingest, 'wrong', { text: 'Lost' });
    await send(ingest, 'wrong', '{');
    expect(await checksums(database.admin)).toEqual(before);
  });
});
