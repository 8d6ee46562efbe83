import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { ingestPush, type Pushed } from '../../src/db/intake.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { nestedStatements } from '../support/database/nested-statements.ts';
import {
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { addEndpoint, hashOf, sendAll } from '../support/posts/intake.ts';
import { sent } from '../support/queue/outcomes.ts';

const sessions = useSessions();
const database = await useDatabase();
let workspaceId: string;
let made = 0;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addEndpoint(database.admin, workspaceId, workspaceId, { ingress_rps: 1000 });
  await setGroup(database.admin, workspaceId, {});
});

/** Pushes a post with a claimer; each is another one, unless its text is given. */
async function push(post: object = {}, now = start): Promise<Pushed> {
  made += 1;
  const rawPayload = JSON.stringify({ text: `Lost: number ${made}`, ...post });
  const secretHash = hashOf(workspaceId);
  const request = { secretHash, sizeBytes: 100, rawPayload, traceId: null, claimer: 'run' };
  return ingestPush(database.service, request, now);
}

const channelsOf = (claimed: readonly ClaimedDelivery[]): string[] =>
  claimed.map((each) => each.channel.channelId);

async function claim(now = start): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 100 }, now);
}

const photo = { media: [{ type: 'image', blob_ref: 'photo' }] };

async function keepPhoto(): Promise<void> {
  await database.admin.query(
    `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, content_type, size_bytes, last_seen_at, created_at)
     values ($1, 'photo', 'folder:photo', 'image/jpeg', 10, $2, $2)`,
    [workspaceId, start],
  );
}

const inTheQueue = {
  verdict: 'accepted',
  claimed: 0,
  states: [{ status: 'queued', claimed: false }],
};

/** Where an accepted post is, beside those that are sent. */
async function placeOf({ enqueued, claimed }: Pushed): Promise<object> {
  const { rows } = await database.admin.query(
    `select distinct d.status, q.claimed from outrider.deliveries d
     left join outrider.delivery_queue q using (workspace_id, delivery_id)
     where d.workspace_id = $1 and d.status not in ('sent', 'sending')`,
    [workspaceId],
  );
  return { verdict: enqueued?.verdict, claimed: claimed.length, states: rows };
}

describe('a push with a claimer', () => {
  it.each([
    ['of a text', {}, {}, null],
    ['of media', {}, photo, ['text', 'type', 'media', 'title']],
    [
      'of a text whose media are left out',
      { send_mode: 'text', on_media: 'leave_out' },
      photo,
      null,
    ],
  ])('gives it what a claim right after would have given, %s', async (_of, how, more, keys) => {
    const { send_mode = 'mixed', ...settings }: Readonly<Record<string, string>> = how;
    const shown = { ...settings, disable_preview: true };
    await addChannel(database.admin, workspaceId, 'news', { send_mode, settings: shown });
    await keepPhoto();
    const post = { title: 'Lost', tags: ['dog'], trace_id: 'trace-1', ...more };
    const [atOnce] = (await push(post)).claimed;
    if (atOnce === undefined) throw new Error('nothing was claimed');
    await commitOutcomes(database.service, workspaceId, [sent(atOnce)], start);

    const rawPayload = JSON.stringify({ ...post, text: 'x' });
    const request = { secretHash: hashOf(workspaceId), sizeBytes: 100, rawPayload, traceId: null };
    await ingestPush(database.service, request, start);
    const [later] = await claim();
    expect({ ...later, payload: {}, renderedText: '' }).toEqual({
      ...atOnce,
      payload: {},
      renderedText: '',
      deliveryId: later?.deliveryId,
      messageId: later?.messageId,
      claimToken: later?.claimToken,
    });
    const keysOf = (each?: ClaimedDelivery) => each?.payload && Object.keys(each.payload);
    expect([keysOf(atOnce), keysOf(later)]).toEqual([keys, keys]);
  });

  it('leaves the delivery in `sending` under a lease, with its attempt counted and both events', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const { claimed } = await push();
    const { rows } = await database.admin.query(
      `select d.status, d.attempt, d.claim_token = l.claim_token as held, l.open_count, l.run_id,
         l.lease_until - $2 = s.sending_lease as lasts,
         (select count(*)::integer from outrider.delivery_queue q where q.workspace_id = $1) as waiting,
         (select array_agg(e.action::text order by e.attempt) from outrider.events e
          where e.workspace_id = $1 and e.delivery_id = d.delivery_id) as events
       from outrider.deliveries d
       join outrider.leases l on l.workspace_id = d.workspace_id and l.delivery_ids = array[d.delivery_id]
       join outrider.workspace_settings s on s.workspace_id = d.workspace_id
       where d.workspace_id = $1`,
      [workspaceId, start],
    );
    expect(claimed).toHaveLength(1);
    expect(rows).toEqual([
      {
        status: 'sending',
        attempt: 1,
        held: true,
        open_count: 1,
        run_id: 'run',
        lasts: true,
        waiting: 0,
        events: ['enqueue', 'send_attempt'],
      },
    ]);
  });

  it('is recovered like a claim when its sender is gone', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const [held] = (await push()).claimed;
    const [recovered] = await recoverLeases(database.service, workspaceId, after(31));
    expect(recovered).toEqual({ deliveryId: held?.deliveryId, became: 'retry' });
  });

  it('takes from up to eight channels, and from none of nine', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `c${n}`);
    for (const name of names) await addChannel(database.admin, workspaceId, name);
    expect(channelsOf((await push()).claimed)).toEqual(names);
    await addChannel(database.admin, workspaceId, 'c9');
    expect((await push()).claimed).toEqual([]);
  });

  it('takes a post with media, and says where they are', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await keepPhoto();
    const [held] = (await push(photo)).claimed;
    expect(held?.media).toMatchObject({ photo: { origin_url: 'folder:photo', size_bytes: 10 } });
  });

  it('starts the fourth of four posts, with room for four, and not the fifth', async () => {
    await addChannel(database.admin, workspaceId, 'news', { max_parallel: 4 });
    for (let n = 1; n <= 4; n += 1) expect((await push()).claimed).toHaveLength(1);
    expect((await push()).claimed).toEqual([]);
  });
});

describe('a push with a claimer leaves to the queue', () => {
  it.each([
    ['a paused channel', { paused_until: after(60) }],
    ['a channel that cools down', { cooldown_until: after(60) }],
    [
      'a channel outside its posting window',
      { window_mode: 'windowed', timezone: 'UTC', posting_window: { sun: [['00:00', '24:00']] } },
    ],
  ])('%s', async (_, columns) => {
    await addChannel(database.admin, workspaceId, 'news', columns);
    expect(await placeOf(await push())).toEqual(inTheQueue);
  });

  it.each([
    ['a group that cools down', { cooldown_until: after(60), next_allowed_at: after(60) }],
    [
      'a group that rests',
      { resting_until: after(60), outage_since: start, outage_channels: ['x'] },
    ],
    [
      'a group that is probing',
      { resting_until: start, outage_since: start, outage_channels: ['x'] },
    ],
    ['a group whose credential was refused', { closed_at: start, closed_auth_ref: 'bot' }],
    ['a group whose next slot lies ahead', { rate_rps: 1, next_allowed_at: after(1) }],
  ])('the channels of %s', async (_, columns) => {
    await setGroup(database.admin, workspaceId, columns);
    await addChannel(database.admin, workspaceId, 'news');
    expect(await placeOf(await push())).toEqual(inTheQueue);
  });

  it('a post for later', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    expect(await placeOf(await push({ scheduled_for: after(60) }))).toEqual(inTheQueue);
  });

  it('a post behind one that waits, whenever that is due', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news', { not_before: after(3600) });
    expect(await placeOf(await push())).toEqual(inTheQueue);
  });

  it('a post of a workspace that is paused', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await database.admin.query(
      `update outrider.workspaces set status = 'paused' where workspace_id = $1`,
      [workspaceId],
    );
    expect(await placeOf(await push())).toEqual(inTheQueue);
  });

  it('an album that counts as several messages', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await database.admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, content_type, size_bytes, last_seen_at, created_at)
       select $1, b, 'folder:' || b, 'image/jpeg', 10, $2, $2 from unnest(array['a', 'b']) b`,
      [workspaceId, start],
    );
    const media = ['a', 'b'].map((blob_ref) => ({ type: 'image', blob_ref }));
    expect(await placeOf(await push({ media }))).toEqual(inTheQueue);
  });

  it.each(['channels', 'platform_limits'])(
    'what somebody has locked in %s: nobody is waited for',
    async (table) => {
      await addChannel(database.admin, workspaceId, 'news');
      const other = await sessions.open(database.admin);
      await other.client.query(
        `select from outrider.${table} where workspace_id = $1 for no key update`,
        [workspaceId],
      );
      expect(await placeOf(await push())).toEqual(inTheQueue);
    },
  );

  it('a repeat, which is suppressed', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await push({ text: 'Lost: Bim', source_ref: 'one' });
    const again = await push({ text: 'Lost: Bim', source_ref: 'two' });
    expect(again.enqueued).toMatchObject({
      channels: [{ verdict: 'deduped', because: 'inflight' }],
    });
    expect(again.claimed).toEqual([]);
  });
});

describe('the pace of what a push claims', () => {
  it('is that of its channel: the next post gets the slot behind', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.5, max_parallel: 10 });
    expect((await push()).claimed).toHaveLength(1);
    expect((await push({}, after(1.999))).claimed).toEqual([]);
    expect(await claim(after(1.999))).toEqual([]);
    expect(await claim(after(2))).toHaveLength(1);
    expect((await push({}, after(3.999))).claimed).toEqual([]);
  });

  it('is that of its group: of several channels one is started, the others wait for their slots', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 2 });
    for (const name of ['a', 'b', 'c'])
      await addChannel(database.admin, workspaceId, name, { rate_rps: null });
    expect(channelsOf((await push()).claimed)).toEqual(['a']);
    await sendAll(database.service, workspaceId, after(0.499));
    expect(channelsOf(await claim(after(0.5)))).toEqual(['b']);
    expect(channelsOf(await claim(after(1)))).toEqual(['c']);
  });
});

describe('a plain post to one channel', () => {
  it('takes at most twelve nested statements from push to claim', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const session = await sessions.open(database.admin);
    const post = {
      text: 'Ginger, answers to Bim',
      title: 'Lost dog',
      url: 'https://example.org/1',
    };
    const secretHash = hashOf(workspaceId);
    const request = { secretHash, sizeBytes: 100, traceId: null, claimer: 'run' };
    const rawPayload = JSON.stringify(post);
    let pushed: Pushed | undefined;
    const nested = await nestedStatements(session, async () => {
      pushed = await ingestPush(session.client, { ...request, rawPayload }, start);
    });
    expect(pushed?.claimed).toHaveLength(1);
    expect(nested).toBeGreaterThan(0);
    expect(nested).toBeLessThanOrEqual(12);
  });

  // One that is declared `immutable` and calls something `stable`, such as jsonb_build_object or format, is not inlined:
  // it is set up anew for each call.
  it('calls no function of SQL as a function: PostgreSQL inlines every one', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: null, max_parallel: 10 });
    const { client } = await sessions.open(database.admin);
    const pushNumber = (n: number) => {
      const post = {
        text: 'Ginger, answers to Bim',
        title: `Lost ${n}`,
        url: 'https://example.org/1',
      };
      const secretHash = hashOf(workspaceId);
      const request = { secretHash, sizeBytes: 100, traceId: null, claimer: 'run' };
      return ingestPush(client, { ...request, rawPayload: JSON.stringify(post) }, start);
    };
    await pushNumber(1); // makes the plans
    await client.query("set local track_functions = 'all'");
    expect((await pushNumber(2)).claimed).toHaveLength(1);
    const { rows } = await client.query<{ language: string; names: string[] }>(
      `select l.lanname as language, array_agg(p.proname::text) as names
       from pg_stat_xact_user_functions f
       join pg_proc p on p.oid = f.funcid
       join pg_language l on l.oid = p.prolang
       group by l.lanname`,
    );
    expect(rows.find(({ language }) => language === 'plpgsql')?.names).toContain('ingest_push');
    expect(rows.find(({ language }) => language === 'sql')?.names).toBeUndefined();
  });
});
