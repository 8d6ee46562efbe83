import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listPullSources, pullNow } from '../../src/db/pull.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { createLog } from '../../src/log.ts';
import { createMediaFetcher } from '../../src/media/media-fetcher.ts';
import { type Pulled, pullSource } from '../../src/pull/pull-source.ts';
import { type Puller, startPuller } from '../../src/pull/puller.ts';
import type { SourceItem } from '../../src/pull/source.ts';
import { SourceError } from '../../src/pull/source-error.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { openStore, png, startOrigin } from '../support/http/media-origins.ts';
import { itemsOf, type ListedKind, listedKind } from '../support/pull/listed-source.ts';
import { addSource, claimDue, pullGround } from '../support/pull/pull-ground.ts';

const database = await useDatabase();
const { admin, service } = database;
const undo = useUndo();
const never = new AbortController().signal;
let workspaceId: string;
let listed: ListedKind;

beforeEach(async () => {
  await admin.query('update outrider.pull_sources set enabled = false');
  workspaceId = await addNewWorkspace(database);
  await addChannel(admin, workspaceId, 'news');
  listed = listedKind();
});

type Given = Partial<Parameters<typeof pullGround>[1]>;

async function pull(now = start, given: Given = {}): Promise<Pulled> {
  const ground = pullGround(service, { kinds: [listed.kind], now: () => now, ...given });
  return pullSource(ground, await claimDue(service, now), never);
}

async function texts(): Promise<string[]> {
  const rows = await queryRows(
    admin,
    z.object({ text: z.string() }),
    'select rendered_text as text from outrider.deliveries where workspace_id = $1 order by seq',
    [workspaceId],
  );
  return rows.map((row) => row.text);
}

async function source(sourceId = 'source') {
  const found = (await listPullSources(service, workspaceId)).find(
    (each) => each.sourceId === sourceId,
  );
  if (found === undefined) throw new Error('there is no such source');
  return found;
}

describe('a pull', () => {
  it('takes 1,000 items in, in their order, with one call of the database for each chunk', async () => {
    await addSource(admin, { workspaceId, config: { limit: 200 } });
    listed.items = itemsOf(1000);
    const claimed = await claimDue(service);
    const client = new WatchedClient(service);
    const ground = pullGround(client, { kinds: [listed.kind], now: () => start });
    const pulled = await pullSource(ground, claimed, never);
    expect(pulled).toMatchObject({ outcome: 'done', chunks: 5, accepted: 1000 });
    expect(client.calls.map((call) => call.name)).toEqual(
      Array.from({ length: 5 }, () => 'ingest_pull_chunk'),
    );
    expect(await texts()).toEqual(listed.items.map(({ post }) => post.text));
    expect(ground.woken).toHaveLength(5);
  });

  it('sets when the source is due again, by its schedule', async () => {
    await addSource(admin, { workspaceId, config: { every: '2m' } });
    expect((await pull()).nextPullAt?.getTime()).toBeCloseTo(new Date(after(120)).getTime(), -4);
    expect((await source()).nextPullAt?.getTime()).toBeCloseTo(new Date(after(120)).getTime(), -4);
  });

  it('adds the tags of the source', async () => {
    await addSource(admin, { workspaceId, config: { tags: ['pets'] } });
    listed.items = [{ itemRef: 'a', post: { text: 'Lost dog', tags: ['city'] } }];
    await pull();
    const rows = await queryRows(
      admin,
      z.object({ tags: z.array(z.string()) }),
      'select tags from outrider.messages where workspace_id = $1',
      [workspaceId],
    );
    expect(rows.map((row) => row.tags.toSorted())).toEqual([['city', 'pets']]);
  });

  it('takes an item with characters that PostgreSQL cannot keep, without them', async () => {
    await addSource(admin, { workspaceId });
    listed.items = [
      { itemRef: 'a', post: { text: 'NUL \0 and half \ud800', fields: { x: '\0' } } },
      ...itemsOf(1),
    ];
    expect(await pull()).toMatchObject({ outcome: 'done', accepted: 2 });
    expect(await texts()).toEqual(['NUL \ufffd and half \ufffd', 'Post 0']);
  });

  it('of a source that says that there is more and gives the same again ends as a failure', async () => {
    await addSource(admin, { workspaceId });
    listed.items = itemsOf(1);
    const stuck = {
      ...listed.kind,
      open: () => ({
        look: async () => ({ items: listed.items, cursor: { at: 1 }, hasMore: true }),
        close: async () => undefined,
      }),
    };
    expect(await pull(start, { kinds: [stuck] })).toMatchObject({
      outcome: 'failed',
      reason: 'it says that there is more, and gives the same again',
    });
  });

  it('of a source with a wrong config, or of no known kind, fails in words', async () => {
    await addSource(admin, { workspaceId, config: { color: 'red', every: '1s' } });
    expect(await pull()).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/its config is wrong: every must be 10s at least; .*"color"/),
    });
    expect(await pull(after(3600), { kinds: [] })).toMatchObject({
      reason: 'this version of Outrider cannot read sources of kind db',
    });
    expect(await source()).toMatchObject({ state: 'failing', failures: 2 });
  });

  it('that takes too long is broken off, also when the source does not listen', async () => {
    await addSource(admin, { workspaceId });
    listed.onLook = () => new Promise(() => undefined);
    expect(await pull(start, { lookMs: 10 })).toMatchObject({
      outcome: 'failed',
      reason: 'it was not read within 0 s',
    });
  });

  it('ends without a trace when another puller has taken the source', async () => {
    await addSource(admin, { workspaceId });
    listed.items = itemsOf(3);
    listed.onLook = async () => {
      await admin.query(
        'update outrider.pull_cursors set lease_token = gen_random_uuid() where workspace_id = $1',
        [workspaceId],
      );
    };
    expect(await pull()).toMatchObject({ outcome: 'lost', accepted: 0 });
    expect(await source()).toMatchObject({ itemsTaken: 0, failures: 0 });
  });
});

describe('a source that no puller reads', () => {
  it('is not said to be read again', async () => {
    await addSource(admin, { workspaceId, config: { every: 'never' } });
    listed.items = itemsOf(1);
    const ground = pullGround(service, { kinds: [listed.kind], now: () => start });
    const order = { workspaceId, sourceId: 'source', runId: 'test', lease: '1 minute' };
    const claimed = await pullNow(service, { ...order, operator: 'anna', reason: 'now' }, start);
    if (claimed === undefined) throw new Error('it is not handed out');
    const pulled = await pullSource(ground, claimed, never);
    expect(pulled).toMatchObject({ outcome: 'done', accepted: 1, nextPullAt: undefined });
  });
});

describe('a cursor', () => {
  it('is kept without what PostgreSQL cannot keep', async () => {
    await addSource(admin, { workspaceId });
    listed.items = itemsOf(1);
    listed.more = { 'pl\0ace': 'a\0b\ud800' };
    expect(await pull()).toMatchObject({ outcome: 'done', accepted: 1 });
    expect(await source()).toMatchObject({ cursor: { 'pl\ufffdace': 'a\ufffdb\ufffd' } });
  });

  it('that would be too large forgets the version of the file, then items of long ago, and never its place', async () => {
    await addSource(admin, { workspaceId });
    listed.items = itemsOf(1);
    const seen = 'abcdefghijkl'.repeat(5000);
    listed.more = { seen, place: 'p'.repeat(1000), etag: 'e'.repeat(9000) };
    expect(await pull()).toMatchObject({ outcome: 'done', accepted: 1 });
    expect((await source()).cursor).toEqual({ at: 1, seen, place: 'p'.repeat(1000) });
    listed.more = { seen, place: 'p'.repeat(9000), etag: 'e' };
    expect(await pull(after(3600))).toMatchObject({ outcome: 'done' });
    const { cursor } = await source();
    expect(cursor).toMatchObject({ place: 'p'.repeat(9000) });
    expect(cursor).not.toHaveProperty('etag');
    expect(String(cursor['seen'])).toMatch(/^(abcdefghijkl){4000,4900}$/);
  });
});

describe('what a source has passed over', () => {
  it('is on record as a failure, and the source goes on behind it', async () => {
    await addSource(admin, { workspaceId });
    listed.items = itemsOf(2);
    listed.lost = 'more is new than can be followed';
    const pulled = await pull();
    expect(pulled).toMatchObject({ outcome: 'failed', accepted: 2, reason: listed.lost });
    expect(await source()).toMatchObject({
      failures: 1,
      lastError: listed.lost,
      cursor: { at: 2 },
    });
    listed.lost = undefined;
    expect(await pull(after(3600))).toMatchObject({ outcome: 'done' });
    expect(await source()).toMatchObject({ failures: 0, lastError: null });
  });
});

describe('a medium', () => {
  const withPhotos = (itemRef: string, ...urls: readonly string[]): SourceItem => ({
    itemRef,
    post: { text: itemRef, media: urls.map((url) => ({ type: 'image' as const, url })) },
  });
  let statuses: Map<string, number>;
  let origin: Awaited<ReturnType<typeof startOrigin>>;
  let given: Given;

  beforeEach(async () => {
    statuses = new Map();
    origin = await startOrigin((request, response) => {
      response.statusCode = statuses.get(request.url ?? '') ?? 200;
      response.end(response.statusCode === 200 ? png : '');
    });
    const kept = await openStore();
    const privateHosts = [`127.0.0.1:${origin.port}`];
    const fetcher = createMediaFetcher({ store: kept.store, maxBytes: 10_000, privateHosts });
    undo.push(
      () => kept[Symbol.asyncDispose](),
      () => origin[Symbol.asyncDispose](),
      () => fetcher.close(),
    );
    given = { fetcher };
    await addSource(admin, { workspaceId });
    listed.items = [
      withPhotos('before', `${origin.url}/fine`),
      withPhotos('item', `${origin.url}/fine`, `${origin.url}/other`),
      withPhotos('after'),
    ];
  });

  const mediaOf = async (): Promise<(string | number)[][]> => {
    const rows = await queryRows(
      admin,
      z.object({ text: z.string(), media: z.number() }),
      `select payload ->> 'text' as text, coalesce(jsonb_array_length(payload -> 'media'), 0) as media
       from outrider.messages where workspace_id = $1 order by 1`,
      [workspaceId],
    );
    return rows.map((row) => [row.text, row.media]);
  };

  it('is copied once, and not again when its item comes again', async () => {
    expect(await pull(start, given)).toMatchObject({ outcome: 'done', accepted: 3 });
    expect(origin.asked).toEqual(['/fine', '/fine', '/other']);
    await admin.query(`update outrider.pull_cursors set cursor_json = '{}'`);
    expect(await pull(after(3600), given)).toMatchObject({ alreadyTaken: 3, accepted: 0 });
    expect(origin.asked).toHaveLength(3);
  });

  it('that can never be fetched is left out at once, on record', async () => {
    statuses.set('/other', 404);
    expect(await pull(start, given)).toMatchObject({ outcome: 'done', accepted: 3, leftOut: 1 });
    expect(await mediaOf()).toEqual([
      ['after', 0],
      ['before', 1],
      ['item', 1],
    ]);
    const events = await queryRows(
      admin,
      z.object({ message: z.string() }),
      `select error ->> 'message' as message from outrider.events
       where workspace_id = $1 and action = 'media_left_out'`,
      [workspaceId],
    );
    expect(events).toEqual([
      { message: `media[1].url: 127.0.0.1:${origin.port} answered 404: nothing is there` },
    ]);
  });

  it('that cannot be fetched for now ends the pull before its item, three times; then the post comes without it', async () => {
    statuses.set('/other', 503);
    let now = start;
    for (const held of [1, 2, 3]) {
      const pulled = await pull(now, given);
      expect(pulled).toMatchObject({ outcome: 'held', accepted: held === 1 ? 1 : 0 });
      expect(pulled.reason).toMatch(/^media\[1\]\.url: .* 503/);
      expect(await source()).toMatchObject({ heldItem: 'item', heldPulls: held, cursor: {} });
      now = pulled.nextPullAt?.toISOString() ?? '';
    }
    // Sooner than the schedule says: after 1 minute, then 2; the usual 5 minutes are not reached.
    expect(new Date(now).getTime()).toBeLessThan(new Date(after(8 * 60)).getTime());
    expect(await mediaOf()).toEqual([['before', 1]]);
    expect(await pull(now, given)).toMatchObject({ outcome: 'done', accepted: 2, leftOut: 1 });
    expect(await mediaOf()).toEqual([
      ['after', 0],
      ['before', 1],
      ['item', 1],
    ]);
    expect(await source()).toMatchObject({ heldItem: null, heldPulls: 0, cursor: { at: 3 } });
  });

  it('that cannot be fetched for now is waited for although the source is read more often', async () => {
    await admin.query(
      `update outrider.pull_sources set config_json = '{"every": "10s"}' where workspace_id = $1`,
      [workspaceId],
    );
    statuses.set('/other', 503);
    const { nextPullAt } = await pull(start, given);
    expect((nextPullAt?.getTime() ?? 0) - Date.parse(start)).toBeGreaterThanOrEqual(60_000);
    await expect(pull(after(30), given)).rejects.toThrow('no source is due');
  });

  it('that can be fetched again comes with its post', async () => {
    statuses.set('/other', 503);
    const pulled = await pull(start, given);
    statuses.clear();
    await pull(pulled.nextPullAt?.toISOString(), given);
    expect(await mediaOf()).toEqual([
      ['after', 0],
      ['before', 1],
      ['item', 2],
    ]);
  });
});

describe('a puller', () => {
  const lines: string[] = [];

  function run(given: Given = {}): Puller {
    const log = createLog({ level: 'info', pretty: false, write: (line) => void lines.push(line) });
    const ground = pullGround(service, { kinds: [listed.kind], now: () => start, ...given });
    const puller = startPuller({ ...ground, log, drainMs: 5000, everyMs: 20 });
    undo.push(() => puller.stop());
    return puller;
  }

  async function until(isTrue: () => Promise<boolean>): Promise<void> {
    await expect.poll(isTrue, { timeout: 20_000, interval: 20 }).toBe(true);
  }

  it('reads every source that is due, and is not held up by one that fails or hangs', async () => {
    for (const name of ['hangs', 'fails', 'a', 'b', 'c']) {
      await addSource(admin, { workspaceId, sourceId: name, config: { colour: name } });
    }
    const kind = {
      ...listed.kind,
      open: ({ colour }: { colour?: string }) => ({
        look: async () => {
          if (colour === 'hangs') return new Promise<never>(() => undefined);
          if (colour === 'fails') throw new SourceError('it is away');
          return {
            items: [{ itemRef: 'x', post: { text: `of ${colour}` } }],
            cursor: {},
            hasMore: false,
          };
        },
        close: async () => undefined,
      }),
    };
    const puller = run({ kinds: [kind] });
    await until(async () => (await texts()).length === 3);
    await until(async () => (await source('fails')).state === 'failing');
    expect((await texts()).toSorted()).toEqual(['of a', 'of b', 'of c']);
    expect(puller.health()).toEqual({ ok: true });
  });

  it('leaves places for other workspaces', async () => {
    for (let n = 0; n < 12; n += 1) await addSource(admin, { workspaceId, sourceId: `slow-${n}` });
    const other = await addNewWorkspace(database);
    await addSource(admin, { workspaceId: other }, after(1));
    listed.onLook = () => new Promise(() => undefined);
    run({ now: () => after(2) });
    await expect
      .poll(
        () =>
          queryRows(
            admin,
            z.object({ workspace_id: z.string(), pulls: z.number() }),
            `select workspace_id, count(*)::integer as pulls from outrider.pull_cursors
             where lease_token is not null and workspace_id = any ($1) group by 1 order by 2`,
            [[workspaceId, other]],
          ),
        { timeout: 20_000, interval: 20 },
      )
      .toEqual([
        { workspace_id: other, pulls: 1 },
        { workspace_id: workspaceId, pulls: 6 },
      ]);
  });

  it('gives the sources that it reads back when it stops', async () => {
    await addSource(admin, { workspaceId });
    listed.onLook = () => new Promise(() => undefined);
    const puller = run();
    await until(async () => listed.looks === 1);
    await puller.stop();
    await expect(claimDue(service)).resolves.toMatchObject({ sourceId: 'source' });
    expect(await source()).toMatchObject({ failures: 0 });
  });

  it('beside another reads no source twice', async () => {
    for (let n = 0; n < 20; n += 1) await addSource(admin, { workspaceId, sourceId: `s${n}` });
    listed.items = itemsOf(1);
    run();
    run();
    await until(async () =>
      (await listPullSources(service, workspaceId)).every((each) => each.pulledAt !== null),
    );
    expect(listed.looks).toBe(20);
  });

  it('extends its lease while a look takes long, and lets go of a source that it has lost', async () => {
    await addSource(admin, { workspaceId });
    let aborted = false;
    listed.onLook = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('stopped'));
        });
      });
    // So long that a machine that pauses for a moment does not lose it.
    run({ lease: '6 seconds', now: undefined });
    await until(async () => listed.looks === 1);
    const leaseEnd = async () => {
      const { rows } = await admin.query(
        'select lease_until from outrider.pull_cursors where workspace_id = $1',
        [workspaceId],
      );
      return JSON.stringify(rows);
    };
    const first = await leaseEnd();
    await until(async () => (await leaseEnd()) !== first);
    expect(aborted).toBe(false);
    await admin.query(`update outrider.pull_sources set enabled = false where workspace_id = $1`, [
      workspaceId,
    ]);
    await until(async () => aborted);
  });
});
