import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { eraseContact } from '../../src/db/privacy.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { purgeExpired } from '../../src/db/retention.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { sendAll, take, verdicts } from '../support/posts/intake.ts';

const sessions = useSessions();
const database = await useDatabase();
let workspaceId: string;
const hour = 3600;

const lost = 'Пропала рыжая такса Буся, красный ошейник, район рощи. Звоните 8 900 000-11-22';
const copied = { text: `❗️ ${lost} #репост` };
const original = { text: lost };

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news', { settings: { similar: {} } });
});

/** The verdict on the channel `news`. */
async function verdictOn(post: object, now = start) {
  const { channels } = await take(database.service, workspaceId, post, now);
  return channels.find(({ channelId }) => channelId === 'news');
}

async function idOf(post: object, now = start): Promise<string> {
  const verdict = await verdictOn(post, now);
  if (verdict?.verdict !== 'queued') throw new Error('it was not queued');
  return verdict.deliveryId;
}

/** Suppresses a copy; the id of its delivery. */
async function suppress(post: object = copied, now = after(60)): Promise<string> {
  const verdict = await verdictOn(post, now);
  const id = verdict?.verdict === 'deduped' ? verdict.suppressedId : undefined;
  if (id === undefined) throw new Error('it was not suppressed');
  return id;
}

async function setSimilar(similar: object): Promise<void> {
  await database.admin.query(
    `update outrider.channels set settings = jsonb_build_object('similar', $2::jsonb) where workspace_id = $1`,
    [workspaceId, JSON.stringify(similar)],
  );
}

async function rows(table: string): Promise<number> {
  const { rowCount } = await database.admin.query(
    `select from outrider.${table} where workspace_id = $1`,
    [workspaceId],
  );
  return rowCount ?? 0;
}

const requeue = (id: string, now = after(120)) =>
  requeueDeliveries(
    database.service,
    { workspaceId, deliveryIds: [id], operator: 'anna', reason: 'another dog' },
    now,
  );

describe('a post that is nearly the same as one that the channel has', () => {
  it('is suppressed, and the answer names the other one, the score and its own delivery', async () => {
    const twin = await idOf(original);
    const verdict = await verdictOn(copied, after(60));
    expect(verdict).toMatchObject({ verdict: 'deduped', because: 'similar', deliveryId: twin });
    expect(verdict).toMatchObject({ score: expect.any(Number), suppressedId: expect.any(String) });
    const until = verdict?.verdict === 'deduped' ? (verdict.until ?? '') : '';
    expect(new Date(until).toISOString()).toBe(after(72 * hour));
  });

  it('leaves an event with the same, and a delivery with its text', async () => {
    const twin = await idOf(original);
    const suppressed = await suppress();
    const events = await queryRows(
      database.admin,
      z.object({ delivery_id: z.string(), meta: z.record(z.string(), z.unknown()) }),
      `select delivery_id, meta from outrider.events
       where workspace_id = $1 and action = 'dedup_suppressed'`,
      [workspaceId],
    );
    expect(events).toMatchObject([
      {
        delivery_id: suppressed,
        meta: { suppressed_by: twin, twin_status: 'queued', signs: ['phone', 'text'] },
      },
    ]);
    const kept = await queryRows(
      database.admin,
      z.object({ status: z.string(), rendered_text: z.string(), similar: z.unknown() }),
      `select status, rendered_text, render_meta -> 'similar' as similar
       from outrider.deliveries where delivery_id = $1`,
      [suppressed],
    );
    expect(kept).toMatchObject([
      { status: 'deduped', rendered_text: copied.text, similar: { delivery_id: twin } },
    ]);
  });

  it('is suppressed also when the other one was sent', async () => {
    await take(database.service, workspaceId, original);
    await sendAll(database.service, workspaceId, after(10));
    expect(await verdictOn(copied, after(60))).toMatchObject({ because: 'similar' });
  });

  it('goes out when the other one failed', async () => {
    const twin = await idOf(original);
    await database.admin.query(
      `update outrider.deliveries set status = 'failed_permanent', failed_at = $2 where delivery_id = $1`,
      [twin, start],
    );
    expect(await verdictOn(copied, after(60))).toMatchObject({ verdict: 'queued' });
  });

  it('goes out when the time that the channel looks back is over', async () => {
    await setSimilar({ within_hours: 5 });
    await take(database.service, workspaceId, original);
    expect(await verdictOn(copied, after(5 * hour))).toMatchObject({ verdict: 'deduped' });
    const other = { text: `${lost} Ждём!` };
    expect(await verdictOn(other, after(5 * hour + 1))).toMatchObject({ verdict: 'queued' });
  });

  it('goes out where the channel asks for a higher score', async () => {
    await setSimilar({ score: 1 });
    await take(database.service, workspaceId, original);
    expect(await verdictOn(copied, after(60))).toMatchObject({ verdict: 'queued' });
  });

  it('goes out when a field differs that must be the same', async () => {
    await setSimilar({ same: ['kind'] });
    await take(database.service, workspaceId, { ...original, fields: { kind: 'lost' } });
    const found = { text: `Нашлась! ${lost}`, fields: { kind: 'found' } };
    expect(await verdictOn(found, after(60))).toMatchObject({ verdict: 'queued' });
    const untold = { text: `Репост. ${lost}` };
    expect(await verdictOn(untold, after(60))).toMatchObject({ verdict: 'deduped' });
  });

  it('goes out in channels that do not ask, and in those that do not have the other one', async () => {
    await addChannel(database.admin, workspaceId, 'all');
    const first = await take(database.service, workspaceId, original);
    expect(verdicts(first)).toEqual({ news: 'queued', all: 'queued' });
    await addChannel(database.admin, workspaceId, 'new', { settings: { similar: {} } });
    const again = await take(database.service, workspaceId, copied, after(60));
    expect(verdicts(again)).toEqual({ news: 'deduped', all: 'queued', new: 'queued' });
  });

  it('is suppressed within one batch, too', async () => {
    const items = [original, copied];
    const batch = await enqueueBatch(database.service, { workspaceId, kind: 'pull', items }, start);
    expect(batch.items).toMatchObject([
      { channels: [{ verdict: 'queued' }] },
      { channels: [{ verdict: 'deduped', because: 'similar' }] },
    ]);
  });

  it('at the same instant waits for the other one, and is then suppressed', async () => {
    const [one, two] = [await sessions.open(database.admin), await sessions.open(database.admin)];
    await take(one.client, workspaceId, original);
    const waiting = take(two.client, workspaceId, copied, after(1));
    await two.waitsFor(one, waiting);
    await one.commit();
    expect(verdicts(await waiting)).toEqual({ news: 'deduped' });
  });
});

describe('a workspace without such a channel', () => {
  it('keeps no trace of its posts', async () => {
    await database.admin.query(
      `update outrider.channels set settings = '{}' where workspace_id = $1`,
      [workspaceId],
    );
    await take(database.service, workspaceId, original);
    expect(verdicts(await take(database.service, workspaceId, copied, after(1)))).toEqual({
      news: 'queued',
    });
    expect(await rows('message_traces')).toBe(0);
  });
});

describe('a channel that compares posts', () => {
  it('gets the same rows as one that does not, as long as nothing is alike', async () => {
    const other = await addNewWorkspace(database);
    await addChannel(database.admin, other, 'news');
    for (let n = 0; n < 20; n += 1) {
      const phone = `8 900 000-${String(n % 7).padStart(2, '0')}-33`;
      const post = {
        title: `Post ${n}`,
        text: `${n} ${'кот пёс дом '.repeat(n)} ${phone} слово${n}`,
      };
      for (const each of [workspaceId, other]) await take(database.service, each, post, after(n));
    }
    const same = await queryRows(
      database.admin,
      z.object({ workspaces: z.number() }),
      `select count(distinct workspace_id)::integer as workspaces, status, occurrence, render_meta, rendered_text
       from outrider.deliveries where workspace_id in ($1, $2)
       group by status, occurrence, render_meta, rendered_text`,
      [workspaceId, other],
    );
    expect(same).toHaveLength(20);
    expect(same.every((row) => row.workspaces === 2)).toBe(true);
  });
});

describe('a suppressed post that was no repeat', () => {
  it('goes out when it is requeued, and the record says who wanted it', async () => {
    await take(database.service, workspaceId, original);
    await sendAll(database.service, workspaceId, after(10));
    const id = await suppress();
    expect(await requeue(id)).toEqual([{ deliveryId: id, requeued: true, note: null }]);
    const request = { workspaceId, runId: 'run', limit: 10 };
    expect(await claimDeliveries(database.service, request, after(120))).toMatchObject([
      { deliveryId: id, attempt: 1, renderedText: copied.text },
    ]);
    const { rows: events } = await database.admin.query(
      `select meta ->> 'operator' as operator, meta ->> 'from_status' as was from outrider.events
       where workspace_id = $1 and action = 'manual_requeue'`,
      [workspaceId],
    );
    expect(events).toEqual([{ operator: 'anna', was: 'deduped' }]);
  });

  it('then counts as sent: a repeat of it is a repeat', async () => {
    await take(database.service, workspaceId, original);
    const id = await suppress();
    await requeue(id);
    await sendAll(database.service, workspaceId, after(130));
    expect(await verdictOn(copied, after(140))).toMatchObject({ because: 'sent', deliveryId: id });
  });

  it('is requeued once: by its latest delivery, and only while it is not accepted again', async () => {
    await take(database.service, workspaceId, original);
    const first = await suppress();
    const second = await suppress(copied, after(70));
    expect(await requeue(first)).toMatchObject([
      {
        requeued: false,
        note: `the same message was suppressed again later; requeue delivery ${second} instead`,
      },
    ]);
    expect(await requeue(second)).toMatchObject([{ requeued: true }]);
    expect(await requeue(first)).toMatchObject([
      { requeued: false, note: 'the same message was accepted for this channel again' },
    ]);
  });

  it('is told apart from a plain repeat, which cannot be requeued', async () => {
    await database.admin.query(
      `update outrider.workspace_settings set keep_deduped_rows = true where workspace_id = $1`,
      [workspaceId],
    );
    await take(database.service, workspaceId, original);
    await take(database.service, workspaceId, original, after(1));
    const { rows: kept } = await database.admin.query<{ delivery_id: string }>(
      `select delivery_id from outrider.deliveries where workspace_id = $1 and status = 'deduped'`,
      [workspaceId],
    );
    expect(await requeue(kept[0]?.delivery_id ?? '')).toMatchObject([
      { requeued: false, note: expect.stringMatching(/^it repeats a post that the channel has/) },
    ]);
    await expect(
      database.admin.query(
        `update outrider.deliveries set status = 'retry', next_retry_at = now(), occurrence = 2
         where workspace_id = $1 and status = 'deduped'`,
        [workspaceId],
      ),
    ).rejects.toMatchObject({ code: 'OR004' });
  });
});

describe('the trace of a post', () => {
  it('goes when no channel looks back so far', async () => {
    await take(database.service, workspaceId, original);
    expect(await rows('message_traces')).toBe(1);
    await purgeExpired(database.service, { limit: 100, dryRun: false }, after(72 * hour - 1));
    expect(await rows('message_traces')).toBe(1);
    const purged = await purgeExpired(
      database.service,
      { limit: 100, dryRun: false },
      after(72 * hour),
    );
    expect(purged).toContainEqual(
      expect.objectContaining({ what: 'message_traces', workspaceId, removed: 1 }),
    );
    expect(await rows('message_traces')).toBe(0);
  });

  it('goes when the contact in it is erased', async () => {
    await take(database.service, workspaceId, original);
    const order = { operator: 'anna', reason: 'asked for it', dryRun: false };
    await eraseContact(
      database.service,
      { workspaceId, contact: '+7 900 000 11 22', ...order },
      after(60),
    );
    expect(await rows('message_traces')).toBe(0);
  });

  it('holds neither numbers nor words', async () => {
    await take(database.service, workspaceId, original);
    const { rows: traces } = await database.admin.query(
      `select t::text as trace from outrider.message_traces t where workspace_id = $1`,
      [workspaceId],
    );
    expect(JSON.stringify(traces)).not.toMatch(/9000001122|такса/);
  });
});
