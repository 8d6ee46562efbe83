import type pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { ingestPush, type Pushed } from '../../src/db/intake.ts';
import {
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { begin } from '../support/database/sessions.ts';
import { type TestDatabase } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { addEndpoint, hashOf } from '../support/posts/intake.ts';
import { sent } from '../support/queue/outcomes.ts';

// A push with a claimer holds channels and groups until it commits. Whatever it may have to wait for comes before that.

const sessions = useSessions();
const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addEndpoint(database.admin, workspaceId, workspaceId, { ingress_rps: 1000 });
  await setGroup(database.admin, workspaceId, {});
  await addChannel(database.admin, workspaceId, 'news', { dedup_ttl_hours: 1 });
  // Another channel of the group, which takes nothing that is pushed here and has something to send.
  const route_filter = JSON.stringify({ include_any: ['other'] });
  await addChannel(database.admin, workspaceId, 'other', { route_filter });
});

function push(
  client: pg.ClientBase | TestDatabase['service'],
  post: object,
  now: string,
  secret = workspaceId,
): Promise<Pushed> {
  const rawPayload = JSON.stringify({ text: 'Lost: Bim', ...post });
  const secretHash = hashOf(secret);
  const request = { secretHash, sizeBytes: 100, rawPayload, traceId: null, claimer: 'run' };
  return ingestPush(client, request, now);
}

function claim(
  client: pg.ClientBase | TestDatabase['service'],
  now: string,
): Promise<ClaimedDelivery[]> {
  return claimDeliveries(client, { workspaceId, runId: 'run', limit: 100 }, now);
}

const photo = { media: [{ type: 'image', blob_ref: 'photo' }] };

describe('while a push with a claimer waits', () => {
  const later = after(7200);

  it.each([
    [
      'for the delivery that it repeats',
      async () => {
        const first = await push(database.service, {}, start);
        await commitOutcomes(database.service, workspaceId, first.claimed.map(sent), start);
      },
      "update outrider.deliveries set last_error = null where workspace_id = $1 and channel_id = 'news'",
      {},
    ],
    [
      'for the file that it names',
      () =>
        database.admin.query(
          `insert into outrider.media_origin
             (workspace_id, blob_ref, origin_url, content_type, size_bytes, last_seen_at, created_at)
           values ($1, 'photo', 'folder:photo', 'image/jpeg', 10, $2, $2)`,
          [workspaceId, start],
        ),
      'select from outrider.media_origin where workspace_id = $1 for update',
      photo,
    ],
    [
      'for a channel that is being removed',
      () => addChannel(database.admin, workspaceId, 'going', {}),
      "select from outrider.channels where workspace_id = $1 and channel_id = 'going' for update",
      {},
    ],
  ])('%s, the other channels of its group are claimed from', async (_, arrange, lock, post) => {
    await arrange();
    await addDelivery(database.admin, workspaceId, 'other');
    const holder = await sessions.open(database.admin);
    await holder.client.query(lock, [workspaceId]);
    const pusher = await sessions.open(database.service);
    const pushing = begin(push(pusher.client, post, later));
    await pusher.waitsFor(holder, pushing);
    const claimer = await sessions.open(database.service);
    await claimer.client.query("set local lock_timeout = '1s'");
    const claimed = await claim(claimer.client, later);
    expect(claimed.map(({ channel }) => channel.channelId)).toEqual(['other']);
    await holder.rollback();
    expect((await pushing).enqueued?.verdict).toBe('accepted');
  });
});

describe('a push that had to wait at its endpoint', () => {
  it('claims nothing, because its time is over: the slots would be those of a moment that has passed', async () => {
    const holder = await sessions.open(database.admin);
    await holder.client.query(
      'select from outrider.endpoint_pace where workspace_id = $1 for update',
      [workspaceId],
    );
    const pusher = await sessions.open(database.service);
    const pushing = begin(push(pusher.client, {}, start));
    await pusher.waitsFor(holder, pushing);
    await holder.rollback();
    expect((await pushing).claimed).toEqual([]);
    await pusher.commit();
    expect(await claim(database.service, start)).toHaveLength(1);
  });
});

describe('a push in a transaction that sees one moment only', () => {
  it('claims nothing: it would not see what another push has claimed since', async () => {
    await addEndpoint(database.admin, workspaceId, `${workspaceId}-2`, { endpoint_id: 'second' });
    const { client } = await sessions.open(database.service);
    await client.query('rollback');
    await client.query('begin isolation level repeatable read');
    await client.query('select'); // this is its moment
    const first = await push(database.service, { text: 'Lost: Tom' }, start, `${workspaceId}-2`);
    const second = await push(client, {}, start);
    expect([first.claimed.length, second.claimed.length]).toEqual([1, 0]);
  });
});
