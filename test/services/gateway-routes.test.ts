import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addAlertTarget, addDead } from '../support/alerts/alert-rows.ts';
import { addPerson, addSandboxBot, hear } from '../support/bot/sandbox-bot.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { type GatewayOptions, openGateway, type Row, rowsOf } from '../support/http/gateway.ts';
import { type Origin, png, startOrigin } from '../support/http/media-origins.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { addSource } from '../support/pull/pull-ground.ts';

// What the gateway does besides deliveries: answers of bots, alerts, chunks of sources, media. Each answer is given to the
// function of the database that it is for.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const undo = useUndo(async () => {
  sandbox.faults.clear();
  await database.admin.query("update outrider.workspaces set status = 'disabled'");
});

async function open(options: GatewayOptions = {}) {
  const gateway = await openGateway({ database, sandbox, folder }, options);
  undo.push(() => gateway[Symbol.asyncDispose]());
  return gateway;
}

async function origin(answer?: Parameters<typeof startOrigin>[0]): Promise<Origin> {
  const started = await startOrigin(answer);
  undo.push(() => started[Symbol.asyncDispose]());
  return started;
}

async function oneOf(call: string, values: unknown[]): Promise<Row> {
  return vi.waitFor(async () => {
    const [row] = await rowsOf(database.service, call, values);
    if (row === undefined) throw new Error('nothing is due');
    return row;
  }, 10_000);
}

describe('POST /v1/bot/send', () => {
  async function asked() {
    const gateway = await open();
    const workspaceId = database.newWorkspaceId();
    await addSandboxBot(database.service, workspaceId);
    const person = addPerson(sandbox, 'max');
    await hear(database.service, workspaceId, person, 'привет');
    const row = await oneOf("outrider.claim_bot_replies('n8n', 10)", []);
    return { gateway, workspaceId, person, row };
  }

  const commit = (workspaceId: string, entry: unknown) =>
    queryRow(
      database.service,
      z.object({ became: z.string().nullable() }),
      'select became from outrider.commit_bot_replies($1, $2::jsonb)',
      [workspaceId, JSON.stringify([entry])],
    );

  it('sends a reply, once, and its entry is committed as it came', async () => {
    const { gateway, workspaceId, person, row } = await asked();
    const { status, body } = await gateway.ask('/v1/bot/send', row);
    expect([status, body]).toEqual([200, expect.objectContaining({ ok: true })]);
    expect((await gateway.ask('/v1/bot/send', row)).body).toEqual(body);
    expect(person.answers()).toHaveLength(1);
    expect(await commit(workspaceId, body)).toEqual({ became: 'sent' });
    const late = await gateway.ask('/v1/bot/send', { ...row, claim_token: row['reply_id'] });
    expect(late.body['error']).toMatchObject({ code: 'lease_over', outcome: 'not_sent' });
    expect(person.answers()).toHaveLength(1);
  });

  it('answers with the error of the platform', async () => {
    const { gateway, workspaceId, row } = await asked();
    sandbox.faults.add({ kind: 'rate_limited', platform: 'max', retryAfter: 3, times: 1 });
    const { status, body } = await gateway.ask('/v1/bot/send', row);
    expect([status, body['error']]).toMatchObject([200, { code: 'rate_limited' }]);
    expect(await commit(workspaceId, body)).toEqual({ became: 'waiting' });
  });

  it('refuses a platform that is not there, also by a name that every object has', async () => {
    const { gateway, row } = await asked();
    const { status, body } = await gateway.ask('/v1/bot/send', { ...row, platform: 'constructor' });
    expect([status, body['error']]).toMatchObject([200, { code: 'unsupported_platform' }]);
  });
});

describe('POST /v1/alerts', () => {
  async function alerted(url: string): Promise<Row> {
    const workspaceId = database.newWorkspaceId();
    await addWorkspace(database.admin, workspaceId);
    await addChannel(database.admin, workspaceId, 'news');
    const target = {
      alert_target_id: 'pager',
      kind: 'webhook',
      url,
      secret_ref: 'env:PAGER_SECRET',
    };
    await addAlertTarget(database.admin, workspaceId, target);
    await addDead(database, workspaceId, new Date().toISOString());
    await database.service.query('select from outrider.evaluate_alerts($1)', [workspaceId]);
    return oneOf("outrider.claim_notifications(10, '2 minutes')", []);
  }

  const commit = (entry: Record<string, unknown>) =>
    queryRow(
      database.service,
      z.object({ became: z.string().nullable() }),
      `select outrider.commit_notification(e.workspace_id, e.notification_id, e.claim_token, e.error,
         e.retry_after, e.left_to_others) as became
       from jsonb_to_record($1) as e (workspace_id text, notification_id uuid, claim_token uuid, error text,
         retry_after interval, left_to_others boolean)`,
      [JSON.stringify(entry)],
    );

  const secrets = {
    PAGER_SECRET: `whsec_${Buffer.from('canary of the pager').toString('base64')}`,
  };

  it('tells the target, and its answer is committed as it came', async () => {
    const pager = await origin();
    const gateway = await open({ secrets });
    const row = await alerted(pager.url);
    const { status, body } = await gateway.ask('/v1/alerts', row);
    expect([status, body]).toEqual([
      200,
      {
        workspace_id: row['workspace_id'],
        notification_id: row['notification_id'],
        claim_token: row['claim_token'],
        error: null,
        retry_after: null,
        left_to_others: false,
      },
    ]);
    await gateway.ask('/v1/alerts', row);
    expect(pager.asked).toHaveLength(1);
    expect(await commit(body)).toEqual({ became: 'sent' });
  });

  it('answers why the target was not told, and when it wants to be asked again', async () => {
    const pager = await origin((_request, response: ServerResponse) =>
      response.writeHead(503, { 'retry-after': '120' }).end(),
    );
    const gateway = await open({ secrets });
    const row = await alerted(pager.url);
    const { body } = await gateway.ask('/v1/alerts', row);
    expect(body).toMatchObject({
      error: 'the receiver answered with 503',
      retry_after: '120000 milliseconds',
      left_to_others: false,
    });
    expect(await commit(body)).toEqual({ became: 'queued' });
  });

  it('tells nothing that is not held under its token any more', async () => {
    const pager = await origin();
    const gateway = await open({ secrets });
    const row = await alerted(pager.url);
    const told = { ...row, error: null, retry_after: null, left_to_others: false };
    expect(await commit(told)).toEqual({ became: 'sent' });
    const { status, body } = await gateway.ask('/v1/alerts', row);
    expect([status, body]).toMatchObject([
      200,
      { error: 'the notification is not held under this claim token', left_to_others: false },
    ]);
    expect(await commit(body)).toEqual({ became: null });
    const foreign = await gateway.ask('/v1/alerts', { ...row, workspace_id: 'nobody' });
    expect([foreign.status, foreign.body['error']]).toMatchObject([422, { code: 'not_a_row' }]);
    expect(pager.asked).toEqual([]);
  });

  it('leaves a message to others whose secret it does not have', async () => {
    const gateway = await open();
    const row = await alerted('https://pager.example');
    const { body } = await gateway.ask('/v1/alerts', row);
    expect(body).toMatchObject({ left_to_others: true });
    expect(body['error']).toContain('PAGER_SECRET');
  });
});

const feed = (titles: readonly string[]) => `<rss version="2.0"><channel><title>News</title>
${titles.map((title) => `<item><guid>${title}</guid><title>${title}</title></item>`).join('\n')}
</channel></rss>`;

describe('POST /v1/pull/<source_id>', () => {
  async function claimed(url: string, config: object = {}) {
    const workspaceId = database.newWorkspaceId();
    await addWorkspace(database.admin, workspaceId);
    const source = { workspaceId, sourceId: 'feed', kind: 'rss', config: { url, ...config } };
    await addSource(database.admin, source);
    const row = await oneOf("outrider.claim_pull_source('n8n', '1 minute', '{}')", []);
    return { workspaceId, row };
  }

  const takeIn = (chunk: Record<string, unknown>) =>
    queryRow(
      database.service,
      z.object({ verdicts: z.array(z.string()) }),
      `select array(select each ->> 'verdict' from json_array_elements(taken -> 'items') as each) as verdicts
       from jsonb_to_record($1) as c (workspace_id text, source_id text, items jsonb, cursor_to jsonb,
         lease_token uuid, next_pull_at timestamptz, held_item text, lease interval),
       outrider.ingest_pull_chunk(c.workspace_id, c.source_id, c.items, c.cursor_to, c.lease_token,
         c.next_pull_at, c.held_item, c.lease) as taken`,
      [JSON.stringify(chunk)],
    );

  const fail = (failure: Record<string, unknown>) =>
    queryRow(
      database.service,
      z.object({ due: z.string().nullable() }),
      `select outrider.fail_pull(f.workspace_id, f.source_id, f.lease_token, f.error, f.retry_after)::text as due
       from jsonb_to_record($1) as f (workspace_id text, source_id text, lease_token uuid, error text,
         retry_after interval)`,
      [JSON.stringify(failure)],
    );

  it('reads a source chunk by chunk, and each is taken in as it came', async () => {
    const site = await origin((_request, response) => response.end(feed(['c', 'b', 'a'])));
    const gateway = await open();
    const { row } = await claimed(site.url, { limit: 2 });
    const first = await gateway.ask('/v1/pull/feed', row);
    expect(first.body).toMatchObject({ ok: true, has_more: true, next_pull_at: null });
    expect(await takeIn(first.body)).toEqual({ verdicts: ['accepted', 'accepted'] });
    const next = { ...row, cursor: first.body['cursor_to'] };
    const second = await gateway.ask('/v1/pull/feed', next);
    expect(second.body).toMatchObject({ ok: true, has_more: false });
    expect(second.body['next_pull_at']).toEqual(expect.any(String));
    expect(await takeIn(second.body)).toEqual({ verdicts: ['accepted'] });
  });

  it('moves nothing by itself: what was not taken in is read again', async () => {
    const site = await origin((_request, response) => response.end(feed(['a'])));
    const gateway = await open();
    const { row } = await claimed(site.url);
    const first = await gateway.ask('/v1/pull/feed', row);
    const again = await gateway.ask('/v1/pull/feed', row);
    expect(again.body['items']).toEqual(first.body['items']);
    expect(await takeIn(again.body)).toEqual({ verdicts: ['accepted'] });
  });

  it('copies the media of its items', async () => {
    const site: Origin = await origin((request, response) => {
      if (request.url === '/a.png') return response.end(png);
      const item = `<item><guid>a</guid><title>A</title><enclosure type="image/png" url="${site.url}/a.png"/></item>`;
      return response.end(`<rss version="2.0"><channel>${item}</channel></rss>`);
    });
    const gateway = await open();
    const { row } = await claimed(site.url);
    const { body } = await gateway.ask('/v1/pull/feed', row);
    expect(JSON.stringify(body['items'])).toContain('"blob_ref":"sha256:');
    expect(await takeIn(body)).toEqual({ verdicts: ['accepted'] });
  });

  it('answers with why a source cannot be read, as fail_pull takes it', async () => {
    const site = await origin((_request, response) => response.writeHead(500).end());
    const gateway = await open();
    const { workspaceId, row } = await claimed(site.url);
    const { status, body } = await gateway.ask('/v1/pull/feed', row);
    expect([status, body]).toEqual([
      200,
      {
        ok: false,
        workspace_id: workspaceId,
        source_id: 'feed',
        lease_token: row['lease_token'],
        error: expect.stringContaining('500'),
        retry_after: null,
      },
    ]);
    expect((await fail(body)).due).not.toBeNull();
  });

  it('reads nothing under a lease that is lost', async () => {
    const site = await origin((_request, response) => response.end(feed(['a'])));
    const gateway = await open();
    const { row } = await claimed(site.url);
    const { workspace_id, source_id, lease_token } = row;
    await database.service.query('select outrider.release_pull($1, $2, $3)', [
      workspace_id,
      source_id,
      lease_token,
    ]);
    const { body } = await gateway.ask('/v1/pull/feed', row);
    expect(body).toMatchObject({ ok: false, error: expect.stringContaining('the lease is lost') });
    expect(site.asked).toEqual([]);
    expect(await fail(body)).toEqual({ due: null });
  });

  it('refuses a row of another source', async () => {
    const gateway = await open();
    const { row } = await claimed('https://feeds.example');
    const { status, body } = await gateway.ask('/v1/pull/other', row);
    expect([status, body['error']]).toMatchObject([422, { code: 'not_a_row' }]);
  });
});

describe('POST /v1/media/import', () => {
  async function workspace(): Promise<string> {
    const workspaceId = database.newWorkspaceId();
    await addWorkspace(database.admin, workspaceId);
    await addEndpoint(database.admin, workspaceId, `secret-of-${workspaceId}`);
    return workspaceId;
  }

  it('copies what a post links to, and the post is enqueued with the copies', async () => {
    const site = await origin();
    const gateway = await open();
    const workspaceId = await workspace();
    const payload = { text: 'Lost', media: [{ type: 'image', url: `${site.url}/dog.png` }] };
    const { status, body } = await gateway.ask('/v1/media/import', {
      workspace_id: workspaceId,
      payload,
    });
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        payload: {
          text: 'Lost',
          media: [
            { type: 'image', blob_ref: expect.stringMatching(/^sha256:/), filename: 'dog.png' },
          ],
        },
      },
    ]);
    const [taken] = await queryRows(
      database.service,
      z.object({ verdict: z.string() }),
      `select outrider.enqueue_copied_post($1, e.endpoint_id, $2::jsonb, $3::jsonb) ->> 'verdict' as verdict
       from outrider.workspace_endpoints e where e.workspace_id = $1`,
      [workspaceId, JSON.stringify(body['payload']), JSON.stringify(payload)],
    );
    expect(taken).toEqual({ verdict: 'accepted' });
  });

  it('leaves a post without links as it was, to the last digit', async () => {
    const gateway = await open();
    const workspaceId = await workspace();
    const text = `{"workspace_id":"${workspaceId}","payload":{"text":"x","fields":{"n":12345678901234567890.10}}}`;
    const response = await fetch(`${gateway.url}/v1/media/import`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer canary-token-of-the-gateway',
        'content-type': 'application/json',
      },
      body: text,
    });
    expect(await response.text()).toContain('12345678901234567890.10');
  });

  it('answers what cannot be fetched, and whether it may be fetched later', async () => {
    const site = await origin((request, response) =>
      response.writeHead(request.url === '/busy.png' ? 503 : 404).end(),
    );
    const gateway = await open();
    const workspace_id = await workspace();
    for (const [name, transient] of [
      ['busy.png', true],
      ['gone.png', false],
    ] as const) {
      const media = [{ type: 'image', url: `${site.url}/${name}` }];
      const { status, body } = await gateway.ask('/v1/media/import', {
        workspace_id,
        payload: { media },
      });
      expect([status, body]).toMatchObject([
        200,
        { ok: false, error: { path: 'media[0].url', transient } },
      ]);
      expect(body['reason']).toContain('media[0].url: ');
    }
  });
});
