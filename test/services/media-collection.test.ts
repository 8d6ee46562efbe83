import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { keepMediaOrigin } from '../../src/db/media.ts';
import { keepPayload } from '../../src/db/payloads.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import {
  type CollectionOptions,
  collectFiles,
  startCollection,
} from '../../src/dispatch/collection.ts';
import { createLog } from '../../src/log.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import type { OriginStore, StoredBlob } from '../../src/media/origin-store.ts';
import { s3Store } from '../../src/media/s3-store.ts';
import { chunks, contents } from '../media/store-conformance.ts';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { accessKeyId, bucketName, secretKey, startS3 } from '../support/http/s3-server.ts';
import { take } from '../support/posts/intake.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

// Rows and bytes of media together, in both stores. The time of rows is virtual; the age of bytes plays no part here.

const database = await useDatabase();
const folder = await useFolder();
const server = await startS3(path.join(folder, 'objects'));
afterAll(() => server[Symbol.asyncDispose]());

const day = 86_400;
const late = after(31 * day);
let count = 0;

const stores = [
  {
    where: 'a folder',
    open: (): OriginStore => folderStore(path.join(folder, `store-${(count += 1)}`)),
  },
  {
    where: 'a bucket',
    open: (): OriginStore =>
      s3Store({
        bucket: server.bucket(),
        prefix: `case-${(count += 1)}/`,
        drafts: path.join(folder, 'drafts'),
      }),
  },
];

describe.each(stores)('files in $where', ({ open }) => {
  let workspaceId: string;
  let media: OriginStore;
  let payloads: OriginStore;

  beforeEach(async () => {
    workspaceId = await addNewWorkspace(database);
    media = open();
    payloads = open();
  });

  const put = (text: string, store = media): Promise<StoredBlob> =>
    store.put(chunks(text), { maxBytes: 1000 });

  async function keep(text: string, of = workspaceId): Promise<StoredBlob> {
    const blob = await put(text);
    await keepMediaOrigin(database.service, { workspaceId: of, ...blob }, start);
    return blob;
  }

  async function collect(options: Partial<CollectionOptions> = {}): Promise<string[]> {
    const place = { client: database.service, media, payloads, minAgeMs: -60_000, now: late };
    const found = await collectFiles({ ...place, ...options });
    return found
      .filter((each) => each.workspaceId === null || each.workspaceId === workspaceId)
      .map(({ what, removed }) => `${what} ${removed}`);
  }

  it('go after their rows: the row first, then out of their place, then for good', async () => {
    const { originUrl } = await keep('old');
    expect(await collect({ now: after(30 * day) })).toEqual([]);
    expect(await collect()).toEqual(['media_origin 1', 'media_files 0']);
    expect(await contents(media, originUrl)).toBe('old');
    expect(await collect()).toEqual(['media_files 1']);
    expect(await media.open(originUrl)).toBeUndefined();
    expect(await collect()).toEqual([]);
  });

  it('stay for the other workspace that has the same picture', async () => {
    const other = await addNewWorkspace(database);
    const { originUrl, blobRef } = await keep('same picture');
    await keep('same picture', other);
    await addChannel(database.admin, other, 'news');
    const post = { text: 'Lost', media: [{ type: 'file', blob_ref: blobRef }] };
    await take(database.service, other, post, start);
    expect(await collect()).toEqual(['media_origin 1']);
    for (let n = 0; n < 3; n += 1) expect(await collect({ now: after(1000 * day) })).toEqual([]);
    expect(await contents(media, originUrl)).toBe('same picture');
  });

  it('stay while a delivery waits that needs them, although somebody has changed their count', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const { originUrl, blobRef } = await keep('needed');
    const post = { text: 'Lost', media: [{ type: 'file', blob_ref: blobRef }] };
    await take(database.service, workspaceId, post, start);
    await database.admin.query(
      'update outrider.media_origin set ref_count = 0 where workspace_id = $1',
      [workspaceId],
    );
    for (let n = 0; n < 3; n += 1) expect(await collect()).toEqual([]);
    expect(await contents(media, originUrl)).toBe('needed');
  });

  it('whose row was never written go, too: media and raw payloads of processes that died', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const orphan = await put('a picture without a row');
    const lost = await put('an answer without a row', payloads);
    const kept = await put('an answer', payloads);
    await keepPayload(database.service, {
      workspaceId,
      payloadRef: `payload-${workspaceId}`,
      kind: 'request',
      objectUrl: kept.originUrl,
      keyId: 'k1',
      sizeBytes: 9,
    });
    await collect();
    expect(await collect()).toEqual(['media_files 1', 'payload_files 1']);
    expect(await media.open(orphan.originUrl)).toBeUndefined();
    expect(await payloads.open(lost.originUrl)).toBeUndefined();
    expect(await contents(payloads, kept.originUrl)).toBe('an answer');
  });

  it('are only counted in a dry run', async () => {
    await keep('old');
    await put('a picture without a row');
    expect(await collect({ dryRun: true })).toEqual(['media_origin 1', 'media_files 0']);
    expect(await collect({ dryRun: true })).toEqual(['media_origin 1', 'media_files 0']);
    const { rows } = await queryRow(
      database.admin,
      z.object({ rows: z.string() }),
      'select count(*) as rows from outrider.media_origin where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toBe('1');
  });

  it('are left alone when nobody can say what is in the store', async () => {
    await keep('old');
    const away: OriginStore = {
      ...media,
      list: lists,
    };
    const found = await collectFiles({
      client: database.service,
      media: away,
      payloads,
      now: start,
    });
    expect(found).toMatchObject([
      { what: 'media_files', removed: 0, note: expect.stringContaining('there is no such bucket') },
    ]);
  });
});

/** The list of a bucket that is not there. */
async function* lists() {
  const bucket = server.bucket({ bucket: 'nobodys' });
  yield* s3Store({ bucket, prefix: '', drafts: folder }).list();
}

describe('the collection of a process', () => {
  it('says what it has deleted, and comes again after a day', async () => {
    const workspaceId = await addNewWorkspace(database);
    const media = folderStore(path.join(folder, 'chore'));
    const blob = await media.put(chunks('old'), { maxBytes: 10 });
    const longAgo = '2020-03-02T10:00:00.000Z';
    await keepMediaOrigin(database.service, { workspaceId, ...blob }, longAgo);
    const lines: string[] = [];
    const clock = createManualClock();
    const chore = startCollection({
      client: database.service,
      media,
      payloads: folderStore(path.join(folder, 'chore-payloads')),
      log: createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) }),
      clock,
    });
    const said = () => lines.filter((line) => line.includes(workspaceId));
    await vi.waitFor(() => expect(said()).toHaveLength(1), 30_000);
    expect(said()[0]).toContain('"what":"media_origin"');
    await keepMediaOrigin(database.service, { workspaceId, ...blob }, longAgo);
    await vi.waitFor(() => {
      clock.advance(3_600_000);
      expect(said()).toHaveLength(2);
    }, 30_000);
    await chore.stop();
  });
});

describe('outrider retention', () => {
  it('counts files of a bucket with --dry-run, and deletes their rows without', async () => {
    const workspaceId = await addNewWorkspace(database);
    const prefix = 'command/';
    const store = s3Store({ bucket: server.bucket(), prefix: `${prefix}media/`, drafts: folder });
    const blob = await store.put(chunks('old'), { maxBytes: 10 });
    await keepMediaOrigin(database.service, { workspaceId, ...blob }, '2020-03-02T10:00:00.000Z');
    await server.age(2 * 3_600_000);
    const env = {
      OUTRIDER_DATA_DIR: path.join(folder, 'data'),
      OUTRIDER_S3_ENDPOINT: server.url,
      OUTRIDER_S3_BUCKET: bucketName,
      OUTRIDER_S3_ACCESS_KEY_ID: accessKeyId,
      OUTRIDER_S3_SECRET_KEY_REF: 'env:KEY',
      OUTRIDER_S3_PREFIX: prefix,
      KEY: secretKey,
    };
    const run = async (...args: string[]): Promise<unknown> => {
      const { out, err } = await runOutrider(['retention', '--json', ...args], {
        databaseUrl: database.url,
        env,
      });
      return { list: JSON.parse(out), err };
    };
    const row = expect.objectContaining({
      what: 'media_origin',
      workspace_id: workspaceId,
      removed: 1,
    });
    const aside = expect.objectContaining({
      what: 'media_files',
      note: '1 more are named by nobody, and go in an hour',
    });
    expect(await run('--dry-run')).toMatchObject({ list: expect.arrayContaining([row]) });
    expect(await run()).toMatchObject({ list: expect.arrayContaining([row, aside]) });
    expect((await server.keys()).filter((key) => key.startsWith(prefix))).toEqual([
      expect.stringContaining('media/aside/'),
    ]);
    await server.age(2 * 3_600_000);
    const gone = expect.objectContaining({ what: 'media_files', removed: 1, note: null });
    expect(await run()).toMatchObject({ list: expect.arrayContaining([gone]) });
    expect((await server.keys()).filter((key) => key.startsWith(prefix))).toEqual([]);
  });
});
