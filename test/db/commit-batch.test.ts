import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import {
  commitOutcomes,
  failPermanent,
  type GivenError,
  markSent,
  scheduleRetry,
} from '../../src/db/commit.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addFresh();
});

/** No jitter, so that two ways of recording the same can be compared. */
async function addFresh(): Promise<string> {
  const id = await addNewWorkspace(database, { backoff_jitter: 0 });
  await addChannel(database.admin, id, 'news');
  return id;
}

async function claim(number: number, id = workspaceId): Promise<ClaimedDelivery[]> {
  await addBacklog(database.admin, id, ['news'], number);
  const request = { workspaceId: id, runId: 'run', limit: number };
  return claimDeliveries(database.service, request, start);
}

async function claimOne(id: string): Promise<ClaimedDelivery & { workspaceId: string }> {
  const [claimed] = await claim(1, id);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return { workspaceId: id, ...claimed };
}

async function statuses(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    'select status from outrider.deliveries where workspace_id = $1 order by seq',
    [workspaceId],
  );
  return rows;
}

/** What a commit leaves behind, without ids. */
async function traces(id: string): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select
       (select jsonb_agg(to_jsonb(d) - '{workspace_id,delivery_id,message_id,seq,trace_id,content_hash}'::text[])
        from outrider.deliveries d where d.workspace_id = $1) as deliveries,
       (select jsonb_agg(to_jsonb(c) - 'workspace_id') from outrider.channels c where c.workspace_id = $1) as channels,
       (select jsonb_agg(to_jsonb(g) - 'workspace_id') from outrider.platform_limits g where g.workspace_id = $1) as groups,
       (select count(*)::integer from outrider.leases l where l.workspace_id = $1) as leases,
       (select jsonb_agg(to_jsonb(e) - '{workspace_id,id,delivery_id,message_id}'::text[] #- '{meta,delivery_id}' order by e.action)
        from outrider.events e where e.workspace_id = $1 and e.action <> 'send_attempt') as events`,
    [id],
  );
  return rows;
}

const transient: GivenError = {
  category: 'TRANSIENT',
  scope: 'platform',
  code: '429',
  retryAfterMs: 3000,
  message: 'Too Many Requests',
  raw: { error_code: 429 },
};
const permanent: GivenError = { category: 'PERMANENT', scope: 'channel', code: '403' };

describe('the single forms leave the same behind as a batch of one', () => {
  it('mark_sent', async () => {
    const other = await addFresh();
    const sent = { providerMessageId: '42', sentAt: after(1), rawMeta: { id: 42 } };
    await markSent(database.service, await claimOne(workspaceId), sent, after(2));
    const { rawMeta: meta, ...rest } = sent;
    const outcome = { ...(await claimOne(other)), ...rest, ok: true, meta } as const;
    await commitOutcomes(database.service, other, [outcome], after(2));
    expect(await traces(workspaceId)).toEqual(await traces(other));
  });

  it('schedule_retry', async () => {
    const other = await addFresh();
    const failure = { error: transient, nextRetryAt: after(60) };
    await scheduleRetry(database.service, await claimOne(workspaceId), failure, after(2));
    const outcome = { ...(await claimOne(other)), ...failure, ok: false } as const;
    await commitOutcomes(database.service, other, [outcome], after(2));
    expect(await traces(workspaceId)).toEqual(await traces(other));
  });

  it('fail_permanent', async () => {
    const other = await addFresh();
    await failPermanent(database.service, await claimOne(workspaceId), permanent, after(2));
    const outcome = { ...(await claimOne(other)), ok: false, error: permanent } as const;
    await commitOutcomes(database.service, other, [outcome], after(2));
    expect(await traces(workspaceId)).toEqual(await traces(other));
  });
});

describe('a single form refuses an error of the other category', () => {
  it('schedule_retry a permanent one, fail_permanent a transient one', async () => {
    const held = await claimOne(workspaceId);
    const retry = scheduleRetry(database.service, held, { error: permanent }, start);
    await expect(retry).rejects.toMatchObject({ code: 'invalid_input', sqlstate: 'OR001' });
    const fail = failPermanent(database.service, held, transient, start);
    await expect(fail).rejects.toMatchObject({ code: 'invalid_input', sqlstate: 'OR001' });
    expect(await statuses()).toEqual([{ status: 'sending' }]);
  });
});

describe('a batch of outcomes', () => {
  it('records each by itself: sent, retry, failed, dead, stale and unknown side by side', async () => {
    const [sent, retried, failed, dead, stale] = await claim(5);
    if (!sent || !retried || !failed || !dead || !stale) throw new Error('too few were claimed');
    await database.admin.query(
      'update outrider.deliveries set attempt_limit = 1 where delivery_id = $1',
      [dead.deliveryId],
    );
    const error: GivenError = { category: 'TRANSIENT', scope: 'delivery', code: '500' };
    const stranger = randomUUID();
    const verdicts = await commitOutcomes(
      database.service,
      workspaceId,
      [
        { ...stale, claimToken: randomUUID(), ok: true, providerMessageId: '5' },
        { ...dead, ok: false, error },
        { ...failed, ok: false, error: { ...error, category: 'PERMANENT' } },
        { ...retried, ok: false, error },
        { ...sent, ok: true, providerMessageId: '1' },
        { deliveryId: stranger, claimToken: randomUUID(), ok: true, providerMessageId: '6' },
      ],
      start,
    );
    const became = new Map(verdicts.map((each) => [each.deliveryId, each.became ?? each.note]));
    expect(verdicts).toHaveLength(6);
    expect(became).toEqual(
      new Map([
        [sent.deliveryId, 'sent'],
        [retried.deliveryId, 'retry'],
        [failed.deliveryId, 'failed_permanent'],
        [dead.deliveryId, 'dead'],
        [stale.deliveryId, 'stale: the delivery is "sending" and not held under this token'],
        [stranger, 'unknown: there is no such delivery in this workspace'],
      ]),
    );
    expect(await statuses()).toEqual(
      ['sent', 'retry', 'failed_permanent', 'dead', 'sending'].map((status) => ({ status })),
    );
  });

  it('gives one verdict for each outcome, also when a delivery is named twice', async () => {
    const [first, second] = await claim(2);
    if (!first || !second) throw new Error('too few were claimed');
    const verdicts = await commitOutcomes(
      database.service,
      workspaceId,
      [
        { ...first, ok: true, providerMessageId: '1' },
        { ...first, ok: true, providerMessageId: '1' },
        { ...second, claimToken: randomUUID(), ok: true, providerMessageId: '2' },
        { ...second, ok: true, providerMessageId: '2' },
      ],
      start,
    );
    const recorded = verdicts.filter((each) => each.became === 'sent');
    const stale = verdicts.filter((each) => each.became === null && each.note !== null);
    expect([recorded.length, stale.length]).toEqual([2, 2]);
    expect(await statuses()).toEqual([{ status: 'sent' }, { status: 'sent' }]);
  });

  it('records one outcome of a delivery that is said to be sent and to have failed', async () => {
    const [held] = await claim(1);
    if (held === undefined) throw new Error('nothing was claimed');
    const verdicts = await commitOutcomes(
      database.service,
      workspaceId,
      [
        { ...held, ok: true, providerMessageId: '1' },
        { ...held, ok: false, error: permanent },
      ],
      start,
    );
    expect(verdicts.filter((each) => each.became !== null)).toHaveLength(1);
    expect(verdicts).toHaveLength(2);
  });

  it('records nothing at all when one of them is not well-formed', async () => {
    const [first, second] = await claim(2);
    if (!first || !second) throw new Error('too few were claimed');
    const commit = commitOutcomes(
      database.service,
      workspaceId,
      [
        { ...first, ok: true, providerMessageId: '1' },
        { ...second, ok: true, providerMessageId: '' },
      ],
      start,
    );
    await expect(commit).rejects.toMatchObject({ sqlstate: 'OR001' });
    expect(await statuses()).toEqual([{ status: 'sending' }, { status: 'sending' }]);
  });
});
