import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import type { OriginStore } from '../../src/media/origin-store.ts';
import { s3Store } from '../../src/media/s3-store.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { startS3 } from '../support/http/s3-server.ts';
import { take } from '../support/posts/intake.ts';
import { openSending, type Sending } from '../support/sandbox/sending.ts';
import { platforms } from '../support/sandbox/three-platforms.ts';

const database = await useDatabase();
const folder = await useFolder();
const server = await startS3(path.join(folder, 'objects'));
afterAll(() => server[Symbol.asyncDispose]());

let sending: Sending;
let workspaceId: string;
/** Addresses that were read, in order. */
let read: string[];

beforeEach(async () => {
  const bucket = server.bucket({ repeatAfterMs: [] });
  const store = s3Store({ bucket, prefix: 'media/', drafts: path.join(folder, 'drafts') });
  const watched: OriginStore = {
    ...store,
    async open(originUrl) {
      read.push(originUrl);
      return store.open(originUrl);
    },
  };
  read = [];
  workspaceId = database.newWorkspaceId();
  sending = await openSending(database, { store: watched });
  await sending.addWorkspace(workspaceId);
});
afterEach(() => sending.close());

async function post(text: string, blobRefs: readonly string[]): Promise<void> {
  const media = blobRefs.map((blob_ref) => ({ type: 'image', blob_ref }));
  await take(database.service, workspaceId, { text, media }, sending.now());
}

async function statuses(): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ status: z.string() }),
    'select distinct status::text from outrider.deliveries where workspace_id = $1',
    [workspaceId],
  );
  return rows.map((row) => row.status);
}

describe('media in a bucket', () => {
  it('reach all platforms, and are read once for each credential', async () => {
    const blobs = [
      await sending.addPicture(workspaceId, 'one'),
      await sending.addPicture(workspaceId, 'two'),
    ];
    await post('One', blobs);
    await sending.round(workspaceId);
    expect(await statuses()).toEqual(['sent']);
    expect(read).toHaveLength(blobs.length * platforms.length);
    sending.clock.advance(60_000);
    await post('Two', blobs);
    await sending.round(workspaceId);
    expect(await statuses()).toEqual(['sent']);
    expect(read).toHaveLength(blobs.length * platforms.length);
    for (const platform of platforms) {
      const shown = sending.posts(platform);
      expect(shown.flatMap((each) => each.media)).toHaveLength(2 * blobs.length);
      expect(shown.map((each) => each.text)).toEqual(expect.arrayContaining(['One', 'Two']));
    }
  });

  it('wait while the server is away, and are sent when it is back', async () => {
    const blob = await sending.addPicture(workspaceId, 'away');
    await post('One', [blob]);
    await server.stop();
    const { outcomes } = await sending.round(workspaceId);
    expect(outcomes.map((each) => (each.ok ? 'ok' : each.error.code))).toEqual(
      platforms.map(() => 'media_unreadable'),
    );
    await server.startAgain();
    sending.clock.advance(600_000);
    await sending.round(workspaceId);
    expect(await statuses()).toEqual(['sent']);
  });

  it('fail their posts for good when they are gone, and not when they were changed', async () => {
    const [gone, spoilt] = [
      await sending.addPicture(workspaceId, 'gone'),
      await sending.addPicture(workspaceId, 'spoilt'),
    ];
    const addressOf = (blobRef: string): string => `${blobRef.slice(7, 9)}/${blobRef.slice(7)}`;
    await sending.store.remove(`s3:${addressOf(gone)}`);
    await post('Gone', [gone]);
    const first = await sending.round(workspaceId);
    const codes = ({ outcomes }: typeof first) =>
      new Set(outcomes.map((each) => (each.ok ? 'ok' : each.error.code)));
    expect(codes(first)).toEqual(new Set(['media_missing_origin']));
    await server.spoil(`media/${addressOf(spoilt)}`);
    await post('Spoilt', [spoilt]);
    sending.clock.advance(60_000);
    expect(codes(await sending.round(workspaceId))).toEqual(new Set(['media_unreadable']));
    for (const platform of platforms) expect(sending.posts(platform)).toEqual([]);
  });
});
