import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { useN8n } from '../support/fixtures/n8n.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { orchestrate } from '../support/n8n/orchestrated.ts';
import { png } from '../support/sandbox/telegram-sandbox.ts';

const stage = await useN8n();

describe('a push to n8n', () => {
  it('is accepted with a verdict on each channel, and arrives', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    const text = 'It\'s 5 o\'clock, $1, {{ $json.x }}, "quoted", \\u0041 🐕';
    const pushed = await city.push({ text, trace_id: 'trace-of-a-push' });
    expect(pushed).toMatchObject({
      status: 202,
      body: {
        verdict: 'accepted',
        trace_id: 'trace-of-a-push',
        channels: [{ channel_id: 'telegram-1', verdict: 'queued' }],
      },
    });
    await expect.poll(() => city.shown()).toEqual({ 'telegram-1': [text] });
  });

  it('is a repeat when its source_ref was taken, or its body within ten seconds', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    expect(await city.push({ text: 'A', source_ref: 'post-1' })).toMatchObject({ status: 202 });
    const byRef = await city.push({ text: 'B', source_ref: 'post-1' });
    expect(byRef).toMatchObject({ status: 200, body: { verdict: 'dedup_dropped' } });
    expect(await city.push({ text: 'C' })).toMatchObject({ status: 202 });
    const byHash = await city.push({ text: 'C' });
    expect(byHash).toMatchObject({ status: 200, body: { verdict: 'dedup_dropped' } });
    const dropped = (await city.actions()).filter((action) => action === 'ingress_dedup_dropped');
    expect(dropped).toHaveLength(2);
    expect((await city.deliveries()).map(({ text }) => text)).toEqual(['A', 'C']);
  });

  it('is refused when it is too large, too fast, or has a wrong secret, or none', async () => {
    const small = await orchestrate(stage, { counts: {}, endpoint: { max_payload_bytes: 1000 } });
    expect(await small.push({ text: 'x'.repeat(2000) })).toMatchObject({
      status: 413,
      body: { error: { code: 'payload_too_large', max_payload_bytes: 1000 } },
    });
    expect(await small.actions()).toContain('ingress_payload_rejected');

    const slow = await orchestrate(stage, { counts: {}, endpoint: { ingress_rps: 0.1 } });
    const answers = [await slow.push({ text: 'one' }), await slow.push({ text: 'two' })];
    expect(answers).toMatchObject([
      { status: 202 },
      { status: 429, body: { error: { code: 'rate_limited' } } },
    ]);
    expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(0);

    const stranger = await stage.post('ingest', { text: 'x' }, { authorization: 'Bearer wrong' });
    expect(stranger).toMatchObject({ status: 401, body: { error: { code: 'unknown_secret' } } });
    expect(await stage.post('ingest', { text: 'x' })).toMatchObject({ status: 401 });
  });

  it('is refused with the reason when it is no post', async () => {
    const city = await orchestrate(stage, { counts: {} });
    expect(await city.push({ text: 5 })).toMatchObject({
      status: 422,
      body: { error: { code: 'post_refused', message: expect.stringContaining('text') } },
    });
    expect(await city.push([])).toMatchObject({ status: 422 });
    for (const text of ['Lost \u0000 dog', 'Lost \ud83d']) {
      expect(await city.push({ text })).toMatchObject({
        status: 422,
        body: { error: { code: 'post_refused', message: expect.stringContaining('U+0000') } },
      });
    }
  });

  it('brings its media by their links', async () => {
    const picture = png(640, 480);
    const origin = await startOrigin((_, response) => response.end(picture));
    afterAll(() => origin[Symbol.asyncDispose]());
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    const post = { text: 'With a photo', media: [{ type: 'image', url: `${origin.url}/dog.png` }] };
    expect(await city.push(post)).toMatchObject({ status: 202, body: { verdict: 'accepted' } });
    await expect.poll(() => city.shown()).toEqual({ 'telegram-1': ['With a photo'] });
    const [channel] = city.channels;
    const chat = stage.sandbox.telegram.simulator
      .chats()
      .find((each) => each.chat === channel?.targetId);
    expect(chat?.posts[0]?.media).toMatchObject([{ size: picture.byteLength }]);

    // A repeat is known before the file is fetched again.
    const asked = origin.asked.length;
    expect(await city.push(post)).toMatchObject({
      status: 200,
      body: { verdict: 'dedup_dropped' },
    });
    expect(origin.asked).toHaveLength(asked);
  });

  it('whose media are gone is refused for good, and one whose server is away for now', async () => {
    const origin = await startOrigin((_, response) => response.writeHead(404).end());
    afterAll(() => origin[Symbol.asyncDispose]());
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    const media = (url: string): object => ({ text: 'x', media: [{ type: 'image', url }] });
    expect(await city.push(media(`${origin.url}/gone.png`))).toMatchObject({
      status: 422,
      body: { error: { code: 'media_refused', path: 'media[0].url' } },
    });
    expect(await city.push(media('http://127.0.0.1:1/away.png'))).toMatchObject({
      status: 502,
      body: { error: { code: 'media_unavailable' } },
    });
    expect(await city.actions()).toContain('ingress_payload_rejected');
    expect(await city.deliveries()).toEqual([]);
  });

  it('to an endpoint that asks for signatures is sent elsewhere', async () => {
    const city = await orchestrate(stage, {
      counts: {},
      endpoint: { signing_secret_ref: 'env:SIGNING_SECRET' },
    });
    expect(await city.push({ text: 'x' })).toMatchObject({
      status: 403,
      body: { error: { code: 'bad_signature' } },
    });
  });
});

describe('a pull by n8n', () => {
  interface Item {
    readonly id: string;
    readonly text: string;
  }

  /** A source that answers with what `answer` says. */
  async function source(answer: () => Promise<readonly Item[] | undefined>): Promise<string> {
    const json = { 'content-type': 'application/json' };
    const respond = async (response: ServerResponse): Promise<void> => {
      const items = await answer();
      if (items === undefined) response.writeHead(500).end();
      else response.writeHead(200, json).end(JSON.stringify(items));
    };
    const server = createServer((_, response) => void respond(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    afterAll(() => server.close());
    const { port } = z.object({ port: z.int() }).parse(server.address());
    return `http://127.0.0.1:${port}/posts`;
  }

  const api = (url: string): object => ({
    kind: 'api',
    config: { url, every: '1h', map: { item_ref: 'id', text: 'text' } },
  });

  const Cursor = z.object({
    source_id: z.string(),
    cursor: z.record(z.string(), z.unknown()),
    items_taken: z.coerce.number(),
    receipts: z.array(z.string()),
    failures: z.int(),
    last_error: z.string().nullable(),
  });
  const cursors = (workspaceId: string): Promise<z.output<typeof Cursor>[]> =>
    queryRows(
      stage.database.admin,
      Cursor,
      `select source_id, cursor_json as cursor, items_taken, failures, last_error,
         array(
           select r.item_ref from outrider.pull_receipts r
           where r.workspace_id = c.workspace_id and r.source_id = c.source_id order by 1
         ) as receipts
       from outrider.pull_cursors c where workspace_id = $1 order by source_id`,
      [workspaceId],
    );

  it('gives an item one receipt that a chunk has twice, and records a failing source, which stops nobody', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    const good = await source(async () => [
      { id: '1', text: 'First' },
      { id: '1', text: 'First' },
      { id: '2', text: 'Second' },
    ]);
    const bad = await source(async () => undefined);
    await city.apply({ pull_sources: { a_bad: api(bad), b_good: api(good) } });
    expect((await stage.runNow('pull')).status).toBe(200);
    await expect
      .poll(() => cursors(city.workspaceId))
      .toMatchObject([
        {
          source_id: 'a_bad',
          items_taken: 0,
          receipts: [],
          failures: 1,
          last_error: expect.stringContaining('500'),
        },
        {
          source_id: 'b_good',
          items_taken: 2,
          receipts: ['1', '2'],
          failures: 0,
          last_error: null,
        },
      ]);
    await expect.poll(() => city.shown()['telegram-1']?.toSorted()).toEqual(['First', 'Second']);
    expect(await city.actions()).toContain('pull_failed');
  });

  it('moves the cursor with the commit of a chunk, and not without', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    const [asked, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onTestFinished(() => letGo.resolve());
    const url = await source(async () => {
      asked.resolve();
      await letGo.promise;
      return [{ id: '1', text: 'Read twice' }];
    });
    await city.apply({ pull_sources: { held: api(url) } });
    const before = await cursors(city.workspaceId);
    const run = stage.runNow('pull');
    await asked.promise;
    // Somebody else holds the source now: the chunk that is read comes too late.
    await stage.database.admin.query(
      `update outrider.pull_cursors set lease_token = gen_random_uuid() where workspace_id = $1`,
      [city.workspaceId],
    );
    letGo.resolve();
    expect((await run).status).toBe(200);
    expect(await cursors(city.workspaceId)).toEqual(before);
    expect(await city.deliveries()).toEqual([]);

    await stage.database.admin.query(
      `update outrider.pull_cursors set lease_token = null, lease_until = null, leased_by = null where workspace_id = $1`,
      [city.workspaceId],
    );
    expect((await stage.runNow('pull')).status).toBe(200);
    await expect
      .poll(() => cursors(city.workspaceId))
      .toMatchObject([{ items_taken: 1, receipts: ['1'] }]);
    expect((await cursors(city.workspaceId))[0]?.cursor).not.toEqual(before[0]?.cursor);
    await expect.poll(() => city.shown()).toEqual({ 'telegram-1': ['Read twice'] });
  });

  it('leaves the cursor and the source alone when the gateway is not reached', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    const url = await source(async () => [{ id: '1', text: 'Later' }]);
    await stage.stopGateway();
    try {
      await city.apply({ pull_sources: { late: api(url) } });
      const before = await cursors(city.workspaceId);
      expect((await stage.runNow('pull')).status).toBe(200);
      expect(await cursors(city.workspaceId)).toEqual(before);
    } finally {
      await stage.startGateway();
    }
    expect((await stage.runNow('pull')).status).toBe(200);
    await expect.poll(() => city.shown()).toEqual({ 'telegram-1': ['Later'] });
  });
});
