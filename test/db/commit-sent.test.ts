import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, commitSent, type GivenError, markSent } from '../../src/db/commit.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { allSent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
});

async function claim(number: number, now = start): Promise<ClaimedDelivery[]> {
  await addBacklog(database.admin, workspaceId, ['news'], number);
  const request = { workspaceId, runId: 'run', limit: number };
  return claimDeliveries(database.service, request, now);
}

async function claimOne(now = start): Promise<ClaimedDelivery & { workspaceId: string }> {
  const [claimed] = await claim(1, now);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return { workspaceId, ...claimed };
}

async function rows(table: string, columns: string, rest = ''): Promise<unknown[]> {
  const found: { rows: unknown[] } = await database.admin.query(
    `select ${columns} from outrider.${table} where workspace_id = $1 ${rest}`,
    [workspaceId],
  );
  return found.rows;
}

const sentEvents = "and action = 'sent'";

describe('a delivery that was sent', () => {
  it('keeps its provider id and the time of the send, and gives its token up', async () => {
    const claimed = await claimOne();
    const verdict = await markSent(
      database.service,
      claimed,
      { providerMessageId: '42', sentAt: after(1) },
      after(2),
    );
    expect(verdict).toEqual({
      deliveryId: claimed.deliveryId,
      became: 'sent',
      nextRetryAt: null,
      note: null,
    });
    expect(
      await rows(
        'deliveries',
        'status, attempt, provider_message_id, sent_at, claim_token, next_retry_at, last_error, failed_at',
      ),
    ).toEqual([
      {
        status: 'sent',
        attempt: 1,
        provider_message_id: '42',
        sent_at: '2026-03-02 10:00:01+00',
        claim_token: null,
        next_retry_at: null,
        last_error: null,
        failed_at: null,
      },
    ]);
  });

  it('was sent when the commit came, unless the sender knows better', async () => {
    await markSent(database.service, await claimOne(), { providerMessageId: '42' }, after(2));
    expect(await rows('deliveries', 'sent_at')).toEqual([{ sent_at: '2026-03-02 10:00:02+00' }]);
  });

  it('leaves a sent event with its provider id', async () => {
    const claimed = await claimOne();
    await markSent(database.service, claimed, { providerMessageId: '42' }, after(2));
    const columns = 'delivery_id, message_id, channel_id, ts, attempt, result, error, meta';
    expect(await rows('events', columns, sentEvents)).toEqual([
      {
        delivery_id: claimed.deliveryId,
        message_id: claimed.messageId,
        channel_id: 'news',
        ts: '2026-03-02 10:00:02+00',
        attempt: 1,
        result: 'ok',
        error: null,
        meta: { trace_id: 'trace', provider_message_id: '42' },
      },
    ]);
  });

  it('leaves the raw answer in the event when the sender hands it over', async () => {
    const sent = { providerMessageId: '42', rawMeta: { message_ids: [42, 43] } };
    await markSent(database.service, await claimOne(), sent, after(2));
    expect(await rows('events', 'meta', sentEvents)).toEqual([
      {
        meta: { trace_id: 'trace', provider_message_id: '42', raw: { message_ids: [42, 43] } },
      },
    ]);
  });
});

describe('plain successes that are recorded together', () => {
  it('have nothing to answer', async () => {
    const claimed = await claim(3);
    expect(await commitSent(database.service, workspaceId, allSent(claimed), after(2))).toEqual([]);
    expect(await rows('deliveries', 'status, provider_message_id, sent_at, claim_token')).toEqual(
      claimed.map(() => ({
        status: 'sent',
        provider_message_id: expect.stringMatching(/^id-/),
        sent_at: '2026-03-02 10:00:02+00',
        claim_token: null,
      })),
    );
    expect(await rows('leases', 'channel_id')).toEqual([]);
  });

  it('leave the same event for each as when they are recorded one by one', async () => {
    const [first, ...others] = await claim(3);
    if (first === undefined) throw new Error('nothing was claimed');
    await commitSent(database.service, workspaceId, allSent(others), after(2));
    const { deliveryId } = first;
    const sent = { providerMessageId: `id-${deliveryId}` };
    await markSent(database.service, { workspaceId, ...first }, sent, after(3));
    const columns = 'delivery_id, channel_id, attempt, result, meta';
    expect(await rows('events', columns, `${sentEvents} order by ts desc, delivery_id`)).toEqual(
      [first, ...others.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1))].map((each) => ({
        delivery_id: each.deliveryId,
        channel_id: 'news',
        attempt: 1,
        result: 'ok',
        meta: { trace_id: 'trace', provider_message_id: `id-${each.deliveryId}` },
      })),
    );
  });

  it('are told apart from those that are stale, which alone are answered', async () => {
    const [lost, good] = await claim(2);
    if (lost === undefined || good === undefined) throw new Error('nothing was claimed');
    const others = { ...lost, claimToken: '00000000-0000-4000-8000-000000000001' };
    expect(
      await commitSent(database.service, workspaceId, allSent([others, good]), after(2)),
    ).toEqual([
      {
        deliveryId: lost.deliveryId,
        note: 'stale: the delivery is "sending" and not held under this token',
      },
    ]);
    expect(await rows('deliveries', 'status', 'order by status')).toEqual([
      { status: 'sending' },
      { status: 'sent' },
    ]);
  });

  it('are recorded once when one is named twice, and the second is told so', async () => {
    const claimed = await claimOne();
    const twice = allSent([claimed, claimed]);
    expect(await commitSent(database.service, workspaceId, twice, after(2))).toEqual([
      { deliveryId: claimed.deliveryId, note: expect.stringMatching(/^stale: /) },
    ]);
    expect(await rows('events', 'attempt', sentEvents)).toHaveLength(1);
  });

  it('end the failures in a row of their channel', async () => {
    await database.admin.query(
      'update outrider.channels set error_streak = 2 where workspace_id = $1',
      [workspaceId],
    );
    await commitSent(database.service, workspaceId, allSent([await claimOne()]), after(2));
    expect(await rows('channels', 'error_streak')).toEqual([{ error_streak: 0 }]);
  });

  it('are refused when their lists do not run in parallel', async () => {
    const { deliveryId, claimToken } = await claimOne();
    const call = database.service.query(
      'select * from outrider.commit_sent($1, array[$2, $2]::uuid[], array[$3]::uuid[], array[$4])',
      [workspaceId, deliveryId, claimToken, '42'],
    );
    await expect(call).rejects.toMatchObject({
      code: 'OR001',
      message:
        'commit_sent: 2 delivery_ids, 1 claim_tokens and 1 provider_message_ids do not run in parallel',
    });
  });
});

describe('an unknown outcome', () => {
  const failure = (code: string): GivenError => ({
    category: 'TRANSIENT',
    scope: 'delivery',
    code,
  });

  async function failWith(code: string): Promise<void> {
    const error = failure(code);
    const outcome = { ...(await claimOne()), ok: false, error } as const;
    await commitOutcomes(database.service, workspaceId, [outcome], start);
  }

  it.each(['outcome_unknown', 'timeout', '500', '502', '599'])(
    'is noted for a failure with code %s',
    async (code) => {
      await failWith(code);
      expect(await rows('deliveries', 'outcome_unknown')).toEqual([{ outcome_unknown: true }]);
    },
  );

  it.each(['429', '400', '409', 'attachment.not.ready', 'connection_refused', '5', '5000'])(
    'is not noted for a failure with code %s: they said no, or were never reached',
    async (code) => {
      await failWith(code);
      expect(await rows('deliveries', 'outcome_unknown')).toEqual([{ outcome_unknown: false }]);
    },
  );

  it('stays noted through a later clear refusal, and is settled by success', async () => {
    await failWith('timeout');
    const again = async (now: string): Promise<ClaimedDelivery> => {
      const request = { workspaceId, runId: 'run', limit: 1 };
      const [claimed] = await claimDeliveries(database.service, request, now);
      if (claimed === undefined) throw new Error('nothing was claimed');
      return claimed;
    };
    const second = { ...(await again(after(60))), ok: false, error: failure('429') } as const;
    await commitOutcomes(database.service, workspaceId, [second], after(60));
    expect(await rows('deliveries', 'outcome_unknown')).toEqual([{ outcome_unknown: true }]);
    const third = { ...(await again(after(120))), ok: true, providerMessageId: '42' } as const;
    await commitOutcomes(database.service, workspaceId, [third], after(120));
    expect(await rows('deliveries', 'outcome_unknown')).toEqual([{ outcome_unknown: false }]);
  });
});

describe('the error streak', () => {
  const channel = 'error_streak, updated_at';

  it('is over when the channel delivers', async () => {
    const claimed = await claimOne();
    await database.admin.query(
      'update outrider.channels set error_streak = 2 where workspace_id = $1',
      [workspaceId],
    );
    await markSent(database.service, claimed, { providerMessageId: '42' }, after(2));
    expect(await rows('channels', channel)).toEqual([
      { error_streak: 0, updated_at: '2026-03-02 10:00:02+00' },
    ]);
  });

  it('is written only when there is one: usually the channel is not touched', async () => {
    const version = 'xmin::text as version';
    const claimed = await claimOne();
    const [before] = await rows('channels', `${version}, ${channel}`);
    await markSent(database.service, claimed, { providerMessageId: '42' }, after(2));
    expect(await rows('channels', `${version}, ${channel}`)).toEqual([before]);
  });

  it('is not written for a failure of channel scope beside the success', async () => {
    const [first, second] = await claim(2);
    if (!first || !second) throw new Error('too few were claimed');
    const error = { category: 'TRANSIENT', scope: 'channel', code: '500' } as const;
    const outcomes = [
      { ...first, ok: true, providerMessageId: '42' },
      { ...second, ok: false, error },
    ] as const;
    await commitOutcomes(database.service, workspaceId, outcomes, after(2));
    expect(await rows('channels', channel)).toEqual([
      { error_streak: 0, updated_at: '2026-03-02 10:00:00+00' },
    ]);
  });

  it('of another channel stays', async () => {
    const claimed = await claimOne();
    await addChannel(database.admin, workspaceId, 'other', { error_streak: 2 });
    await markSent(database.service, claimed, { providerMessageId: '42' }, after(2));
    expect(await rows('channels', channel, "and channel_id = 'other'")).toEqual([
      { error_streak: 2, updated_at: '2026-03-02 10:00:00+00' },
    ]);
  });
});

describe('a lease', () => {
  it('counts down with each outcome and goes with the last', async () => {
    const [first, second, third, fourth] = await claim(4);
    if (!first || !second || !third || !fourth) throw new Error('too few were claimed');
    const leases = (): Promise<unknown[]> => rows('leases', 'open_count');
    expect(await leases()).toEqual([{ open_count: 4 }]);
    await markSent(database.service, { workspaceId, ...first }, { providerMessageId: '1' }, start);
    expect(await leases()).toEqual([{ open_count: 3 }]);
    const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' } as const;
    await commitOutcomes(
      database.service,
      workspaceId,
      [
        { ...second, ok: true, providerMessageId: '2' },
        { ...third, ok: false, error },
      ],
      start,
    );
    expect(await leases()).toEqual([{ open_count: 1 }]);
    const permanent = { category: 'PERMANENT', scope: 'delivery', code: '400' } as const;
    const outcome = { ...fourth, ok: false, error: permanent } as const;
    await commitOutcomes(database.service, workspaceId, [outcome], start);
    expect(await leases()).toEqual([]);
  });

  it('makes room for the next delivery of the channel when it counts down', async () => {
    await database.admin.query(
      'update outrider.channels set max_parallel = 1 where workspace_id = $1',
      [workspaceId],
    );
    const claimed = await claimOne();
    expect(await claim(1)).toEqual([]);
    await markSent(database.service, claimed, { providerMessageId: '42' }, start);
    expect(await claim(1)).toHaveLength(1);
  });
});
