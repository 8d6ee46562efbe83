import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type GivenError } from '../../src/db/commit.ts';
import { showDelivery } from '../../src/db/inspect.ts';
import { type Resolved, resolveDeliveries } from '../../src/db/operate.ts';
import {
  addChannel,
  addDelivery,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// Posts of which nobody knew whether they had arrived, and that somebody has found in the chat.

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news', { dedup_ttl_hours: 1 });
});

const held: Partial<GivenError> = {
  category: 'PERMANENT',
  code: 'outcome_unknown',
  message: 'the channel holds such posts for an operator',
};

async function claim(now: string): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 10 }, now);
}

/** Claims what is due and fails it two seconds later. */
async function fail(error: Partial<GivenError>, now = start): Promise<void> {
  const outcomes = (await claim(now)).map((each) => failed(each, error));
  await commitOutcomes(database.service, workspaceId, outcomes, after(2, now));
}

async function addHeld(): Promise<string> {
  const deliveryId = await addDelivery(database.admin, workspaceId, 'news');
  await fail(held);
  return deliveryId;
}

async function resolve(
  deliveryId: string,
  { now = after(600), dryRun = false } = {},
): Promise<Resolved[]> {
  const order = { operator: 'anna', reason: 'it is in the chat', dryRun };
  const request = { workspaceId, deliveryIds: [deliveryId], providerMessageIds: ['4711'] };
  return resolveDeliveries(database.service, { ...request, ...order }, now);
}

async function look(deliveryId: string): Promise<unknown> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select status, attempt, sent_at, provider_message_id, outcome_unknown, failed_at
     from outrider.deliveries where delivery_id = $1`,
    [deliveryId],
  );
  return rows[0];
}

async function resolveEvents(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select delivery_id, ts, attempt, result, meta - 'trace_id' as meta
     from outrider.events where workspace_id = $1 and action = 'manual_resolve'`,
    [workspaceId],
  );
  return rows;
}

describe('a delivery that was found in the chat', () => {
  it('is sent, since it was last tried and under the id that the platform gave it', async () => {
    const id = await addHeld();
    expect(await resolve(id)).toEqual([{ deliveryId: id, resolved: true, note: null }]);
    expect(await look(id)).toEqual({
      status: 'sent',
      attempt: 1,
      sent_at: '2026-03-02 10:00:00+00',
      provider_message_id: '4711',
      outcome_unknown: false,
      failed_at: null,
    });
  });

  it('leaves an event with who said so, why, and what it was', async () => {
    const id = await addHeld();
    await resolve(id);
    expect(await resolveEvents()).toEqual([
      {
        delivery_id: id,
        ts: '2026-03-02 10:10:00+00',
        attempt: 1,
        result: 'ok',
        meta: {
          operator: 'anna',
          reason: 'it is in the chat',
          from_status: 'failed_permanent',
          provider_message_id: '4711',
          sent_at: '2026-03-02T10:00:00+00:00',
        },
      },
    ]);
  });

  it('keeps its attempt in its timeline, once', async () => {
    const id = await addHeld();
    await resolve(id);
    const { events } = await showDelivery(database.service, workspaceId, id, after(601));
    expect(events.map((each) => `${each.action} ${each.attempt}`)).toEqual([
      'send_attempt 1',
      'failed_permanent 1',
      'manual_resolve 1',
    ]);
  });

  it('is never sent again', async () => {
    const id = await addHeld();
    await resolve(id);
    expect(await claim(after(86_400))).toEqual([]);
  });

  it('suppresses repeats for its window, which began when it was tried', async () => {
    const post = { text: 'Lost: a ginger dog' };
    const { channels } = await take(database.service, workspaceId, post, start);
    await fail(held);
    const [first] = channels;
    if (first?.verdict !== 'queued') throw new Error('it was not queued');
    await resolve(first.deliveryId, { now: after(3000) });
    const before = await take(database.service, workspaceId, post, after(3599));
    expect(before.channels).toMatchObject([{ verdict: 'deduped' }]);
    const later = await take(database.service, workspaceId, post, after(3601));
    expect(later.channels).toMatchObject([{ verdict: 'queued' }]);
  });

  it('may have been refused by a later attempt than the one that arrived', async () => {
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await fail({ code: 'outcome_unknown' });
    await fail({ category: 'PERMANENT', code: '400' }, after(60));
    expect(await resolve(id)).toMatchObject([{ resolved: true }]);
    expect(await look(id)).toMatchObject({ attempt: 2, sent_at: '2026-03-02 10:01:00+00' });
  });
});

describe('a dry run of a resolution', () => {
  it('says the same and changes nothing', async () => {
    const id = await addHeld();
    const before = await look(id);
    const foretold = await resolve(id, { dryRun: true });
    expect(await look(id)).toEqual(before);
    expect(await resolveEvents()).toEqual([]);
    expect(await resolve(id)).toEqual(foretold);
  });
});

describe('a resolution is refused, with its reason,', () => {
  async function refusal(deliveryId: string): Promise<string | null | undefined> {
    const before = await look(deliveryId);
    const [answer] = await resolve(deliveryId);
    expect(answer?.resolved).toBe(false);
    expect(await look(deliveryId)).toEqual(before);
    expect(await resolveEvents()).toEqual([]);
    return answer?.note;
  }

  it('for a delivery that its provider refused', async () => {
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await fail({ category: 'PERMANENT', code: '400' });
    expect(await refusal(id)).toBe('it is known not to have arrived: 400');
  });

  it('for one that waits, and for one that was sent', async () => {
    const id = await addDelivery(database.admin, workspaceId, 'news');
    expect(await refusal(id)).toBe('it is "queued", not failed_permanent');
    const [each] = await claim(start);
    if (each === undefined) throw new Error('nothing was claimed');
    await commitOutcomes(database.service, workspaceId, [sent(each)], start);
    expect(await refusal(id)).toBe('it is "sent", not failed_permanent');
  });

  it('for one that is dead, whose next attempt can look', async () => {
    const id = await addDelivery(database.admin, workspaceId, 'news', { attempt: 4 });
    await fail({ code: 'outcome_unknown' });
    expect(await refusal(id)).toMatch(/^it is dead; requeue it/);
  });

  it('for one that this workspace does not have', async () => {
    const nowhere = 'there is no such delivery in this workspace';
    expect(await refusal(randomUUID())).toBe(nowhere);
    const theirs = await addHeld();
    workspaceId = `${workspaceId}-other`;
    await addWorkspace(database.admin, workspaceId);
    expect(await refusal(theirs)).toBe(nowhere);
  });

  it('for lists that do not fit each other', async () => {
    const order = { workspaceId, operator: 'anna', reason: 'found' };
    const id = await addHeld();
    await expect(
      resolveDeliveries(database.service, {
        ...order,
        deliveryIds: [id],
        providerMessageIds: ['1', '2'],
      }),
    ).rejects.toThrow('there are 1 delivery_ids and 2 provider_message_ids');
    await expect(
      resolveDeliveries(database.service, {
        ...order,
        deliveryIds: [id, id],
        providerMessageIds: ['1', '2'],
      }),
    ).rejects.toThrow('delivery_ids names a delivery twice');
  });
});
