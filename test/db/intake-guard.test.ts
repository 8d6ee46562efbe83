import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Admission,
  admitIngress,
  type Enqueued,
  enqueueMessagesAndDeliveries,
  findEndpoint,
} from '../../src/db/intake.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import {
  addChannel,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { begin } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { addEndpoint, hashOf } from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;
let secret: string;
const sessions = useSessions();

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  secret = `secret-${workspaceId}`;
  await addChannel(database.admin, workspaceId, 'news');
  await addEndpoint(database.admin, workspaceId, secret);
});

async function admit(now = start, sizeBytes = 200, given = secret): Promise<Admission> {
  const request = { kind: 'webhook_push', secretHash: hashOf(given), sizeBytes } as const;
  return admitIngress(database.service, request, now);
}

async function push(rawPayload: unknown, now = start, endpointId = 'push'): Promise<Enqueued> {
  const request = { workspaceId, endpointId, kind: 'push', rawPayload } as const;
  return enqueueMessagesAndDeliveries(database.service, request, now);
}

interface Traces {
  readonly events: string[];
  readonly counts: Record<string, number>;
  readonly messages: number;
}

/** What the workspace has to show for its requests, without what an accepted post leaves. */
async function traces(): Promise<Traces> {
  const events = await queryRows(
    database.admin,
    z.object({ action: z.string(), attempt: z.number(), result: z.string() }),
    `select action::text, attempt, result::text from outrider.events
     where workspace_id = $1 and action::text like 'ingress%' order by ts, id`,
    [workspaceId],
  );
  for (const event of events) expect(event).toMatchObject({ attempt: 0, result: 'error' });
  const runs = await queryRows(
    database.admin,
    z.object({ key: z.string(), sum: z.string() }),
    `select e.key, sum(e.value::integer) from outrider.ingest_runs r
     cross join lateral jsonb_each_text(r.stats_json) e
     where r.workspace_id = $1 and r.finished_at is not null and r.kind = 'push'
       and e.key in ('accepted', 'rate_limited', 'payload_rejected', 'dedup_dropped')
     group by e.key`,
    [workspaceId],
  );
  const [messages] = await queryRows(
    database.admin,
    z.object({ count: z.string() }),
    'select count(*) from outrider.messages where workspace_id = $1',
    [workspaceId],
  );
  return {
    events: events.map((event) => event.action),
    counts: Object.fromEntries(runs.map((run) => [run.key, Number(run.sum)])),
    messages: Number(messages?.count),
  };
}

const nothing: Traces = { events: [], counts: {}, messages: 0 };

/** Whether a session has waited for a lock for a tenth of a second, by the server's clock. What it did before is no wait. */
async function hasWaited(pid: number): Promise<boolean> {
  const { waited } = await queryRow(
    database.admin,
    z.object({ waited: z.boolean() }),
    `select coalesce(clock_timestamp() - min(waitstart) > interval '0.1 s', false) as waited
     from pg_locks where pid = $1 and not granted`,
    [pid],
  );
  return waited;
}

describe('an endpoint', () => {
  it('is found by its secret, and the workspace with it', async () => {
    expect(await admit()).toEqual({
      verdict: 'admitted',
      workspaceId,
      endpointId: 'push',
      runId: null,
      retryAfterMs: null,
      maxPayloadBytes: 262144,
      signingSecretRef: null,
    });
    expect(await traces()).toEqual(nothing);
  });

  it('is found before anything is counted, while a transaction holds it', async () => {
    const holder = await sessions.open(database.admin);
    await holder.client.query(
      'select from outrider.workspace_endpoints where workspace_id = $1 for update',
      [workspaceId],
    );
    const request = { kind: 'webhook_push', secretHash: hashOf(secret) } as const;
    expect(await findEndpoint(database.service, request)).toEqual({
      workspaceId,
      endpointId: 'push',
      authRef: null,
      maxPayloadBytes: 262_144,
      signingSecretRef: null,
    });
    const wrong = { ...request, secretHash: hashOf('wrong') };
    expect(await findEndpoint(database.service, wrong)).toBeUndefined();
    const other = { ...request, kind: 'bot_webhook' } as const;
    expect(await findEndpoint(database.service, other)).toBeUndefined();
  });

  it('is not found by a wrong secret, which leaves no trace', async () => {
    expect(await admit(start, 200, 'wrong')).toMatchObject({
      verdict: 'unknown_endpoint',
      workspaceId: null,
    });
    expect(await traces()).toEqual(nothing);
  });

  it('is not found by a secret of another kind', async () => {
    const request = { kind: 'bot_webhook', secretHash: hashOf(secret), sizeBytes: 1 } as const;
    const { verdict } = await admitIngress(database.service, request, start);
    expect(verdict).toBe('unknown_endpoint');
  });

  it('is not found once it is disabled, and takes no post', async () => {
    await database.admin.query(
      'update outrider.workspace_endpoints set enabled = false where workspace_id = $1',
      [workspaceId],
    );
    expect((await admit()).verdict).toBe('unknown_endpoint');
    const request = { kind: 'webhook_push', secretHash: hashOf(secret) } as const;
    expect(await findEndpoint(database.service, request)).toBeUndefined();
    await expect(push({ text: 'Lost' })).rejects.toThrow(/"push" takes no posts: it is disabled/);
    expect(await traces()).toEqual(nothing);
  });

  it('changes its secret by a new row: both work until the old one is disabled', async () => {
    await addEndpoint(database.admin, workspaceId, `${secret}-new`, { endpoint_id: 'push-2' });
    expect((await admit()).endpointId).toBe('push');
    expect((await admit(start, 1, `${secret}-new`)).endpointId).toBe('push-2');
    await database.admin.query(
      `update outrider.workspace_endpoints set enabled = false
       where workspace_id = $1 and endpoint_id = 'push'`,
      [workspaceId],
    );
    expect((await admit()).verdict).toBe('unknown_endpoint');
    expect((await admit(start, 1, `${secret}-new`)).verdict).toBe('admitted');
  });

  it('of a disabled workspace takes nothing in; of a paused one it does', async () => {
    const set = 'update outrider.workspaces set status = $2 where workspace_id = $1';
    await database.admin.query(set, [workspaceId, 'disabled']);
    expect((await admit()).verdict).toBe('workspace_disabled');
    await expect(push({ text: 'Lost' })).rejects.toThrow(/is disabled and takes nothing in/);
    expect(await traces()).toEqual(nothing);
    await database.admin.query(set, [workspaceId, 'paused']);
    expect((await admit()).verdict).toBe('admitted');
    expect((await push({ text: 'Lost' })).verdict).toBe('accepted');
  });

  it('that serves a bot takes no posts', async () => {
    await addEndpoint(database.admin, workspaceId, 'bot', {
      endpoint_id: 'bot',
      kind: 'bot_webhook',
    });
    await expect(push({ text: 'Lost' }, start, 'bot')).rejects.toThrow(/it is a bot_webhook/);
  });
});

describe('the size gate', () => {
  it('rejects what is larger than the endpoint takes, to the byte', async () => {
    expect((await admit(start, 262144)).verdict).toBe('admitted');
    const refused = await admit(start, 262145);
    expect(refused).toMatchObject({ verdict: 'payload_rejected', maxPayloadBytes: 262144 });
    expect(refused.runId).not.toBeNull();
    expect(await traces()).toEqual({
      events: ['ingress_payload_rejected'],
      counts: { payload_rejected: 1 },
      messages: 0,
    });
  });
});

describe('the rate gate', () => {
  it("lets a second's worth through at once and says when the next may come", async () => {
    for (let n = 0; n < 5; n += 1) expect((await admit()).verdict).toBe('admitted');
    expect(await admit()).toMatchObject({ verdict: 'rate_limited', retryAfterMs: 200 });
    expect((await admit(after(0.19))).verdict).toBe('rate_limited');
    expect((await admit(after(0.2))).verdict).toBe('admitted');
    expect((await admit(after(0.2))).verdict).toBe('rate_limited');
    expect(await traces()).toEqual({
      events: ['ingress_rate_limited', 'ingress_rate_limited', 'ingress_rate_limited'],
      counts: { rate_limited: 3 },
      messages: 0,
    });
  });

  it('lets one through at a time where the pace is slower than one a second', async () => {
    await database.admin.query(
      'update outrider.workspace_endpoints set ingress_rps = 0.1 where workspace_id = $1',
      [workspaceId],
    );
    expect((await admit()).verdict).toBe('admitted');
    expect(await admit(after(9))).toMatchObject({ verdict: 'rate_limited', retryAfterMs: 1000 });
    expect((await admit(after(10))).verdict).toBe('admitted');
  });

  it('judges a request that waited for the endpoint by the time at which its turn came', async () => {
    await database.admin.query(
      'update outrider.workspace_endpoints set ingress_rps = 1000 where workspace_id = $1',
      [workspaceId],
    );
    const holder = await sessions.open(database.admin);
    await holder.client.query(
      'update outrider.endpoint_pace set next_allowed_at = $2 where workspace_id = $1',
      [workspaceId, after(1.05)],
    );
    // A twentieth of a second too fast when it comes, and no longer when it gets the row.
    const waiting = await sessions.open(database.service);
    const request = { kind: 'webhook_push', secretHash: hashOf(secret), sizeBytes: 1 } as const;
    const admitted = begin(admitIngress(waiting.client, request, start));
    await waiting.waitsFor(holder, admitted);
    await expect.poll(() => hasWaited(waiting.pid), { timeout: 30_000 }).toBe(true);
    await holder.commit();
    expect((await admitted).verdict).toBe('admitted');
    await waiting.commit();
    expect((await admit()).verdict).toBe('rate_limited');
  });

  it('counts each endpoint by itself', async () => {
    await addEndpoint(database.admin, workspaceId, `${secret}-2`, { endpoint_id: 'other' });
    for (let n = 0; n < 6; n += 1) await admit();
    expect((await admit(start, 1, `${secret}-2`)).verdict).toBe('admitted');
  });
});

describe('the receipt of a request', () => {
  it('drops a second one with the same source_ref, whatever it says', async () => {
    const first = await push({ text: 'Lost', source_ref: 'post-1' });
    expect(first.verdict).toBe('accepted');
    const again = await push({ text: 'Another text', source_ref: 'post-1' }, after(3600));
    expect(again).toMatchObject({ verdict: 'dedup_dropped' });
    expect(again.verdict === 'dedup_dropped' && new Date(again.receivedAt).toISOString()).toBe(
      start,
    );
    expect(await traces()).toEqual({
      events: ['ingress_dedup_dropped'],
      counts: { accepted: 1, dedup_dropped: 1 },
      messages: 1,
    });
  });

  it('lets the source_ref in again when it has expired', async () => {
    await push({ text: 'Lost', source_ref: 'post-1' });
    const late = await push({ text: 'Found', source_ref: 'post-1' }, after(2 * 86400 + 1));
    expect(late.verdict).toBe('accepted');
  });

  it('without a source_ref drops the same payload inside the window and not outside', async () => {
    await push({ text: 'Lost', tags: ['dog'] });
    const again = await push({ tags: ['dog'], text: 'Lost', trace_id: 'other' }, after(9));
    expect(again.verdict).toBe('dedup_dropped');
    const late = await push({ text: 'Lost', tags: ['dog'] }, after(11));
    expect(late.verdict).toBe('accepted');
    expect(await traces()).toEqual({
      events: ['ingress_dedup_dropped'],
      counts: { accepted: 2, dedup_dropped: 1 },
      messages: 1,
    });
  });

  it('takes an empty source_ref for none', async () => {
    expect((await push({ text: 'Lost', source_ref: '' })).verdict).toBe('accepted');
    expect((await push({ text: 'Found', source_ref: '' })).verdict).toBe('accepted');
    const again = await push({ text: 'Found', source_ref: '' }, after(9));
    expect(again.verdict).toBe('dedup_dropped');
    const kept = await queryRows(
      database.admin,
      z.object({ source_ref: z.string().nullable() }),
      'select source_ref from outrider.messages where workspace_id = $1',
      [workspaceId],
    );
    expect(kept).toEqual([{ source_ref: null }, { source_ref: null }]);
  });

  it('without a source_ref lets a payload in that differs in anything', async () => {
    await push({ text: 'Lost' });
    expect((await push({ text: 'Lost', tags: ['dog'] }, after(1))).verdict).toBe('accepted');
  });

  it('belongs to its endpoint: another one takes the same request', async () => {
    await addEndpoint(database.admin, workspaceId, `${secret}-2`, { endpoint_id: 'other' });
    await push({ text: 'Lost', source_ref: 'post-1' });
    const other = await push({ text: 'Lost', source_ref: 'post-1' }, start, 'other');
    expect(other.verdict).toBe('accepted');
  });

  it('is not taken for a post that cannot be taken in', async () => {
    await expect(push({ text: 7, source_ref: 'post-1' })).rejects.toThrow(
      /raw_payload cannot be taken in: text /,
    );
    expect((await push({ text: 'Lost', source_ref: 'post-1' })).verdict).toBe('accepted');
  });

  it('is taken once by two requests at the same instant', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => push({ text, source_ref: 'post-1' })),
    );
    expect(answers.filter((answer) => answer.verdict === 'accepted')).toHaveLength(1);
    const unnamed = await Promise.all(
      Array.from({ length: 4 }, () => push({ text: 'The same' }, after(1))),
    );
    expect(unnamed.filter((answer) => answer.verdict === 'accepted')).toHaveLength(1);
  });
});

describe('a workspace_id in a post', () => {
  it('is ignored', async () => {
    await addWorkspace(database.admin, `${workspaceId}-other`);
    expect((await push({ text: 'Lost', workspace_id: `${workspaceId}-other` })).verdict).toBe(
      'accepted',
    );
    expect((await traces()).messages).toBe(1);
  });
});
