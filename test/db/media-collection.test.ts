import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  forgetMediaOrigins,
  keepMediaBlob,
  keepMediaOrigin,
  knownOrigins,
  mediaGcCandidates,
} from '../../src/db/media.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { purgeExpired, restartSweeps } from '../../src/db/retention.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { hashOf, take } from '../support/posts/intake.ts';

// Which files may go, by virtual time: no message names them, and their retention is over.

const database = await useDatabase();
let workspaceId: string;

const day = 86_400;
const gigabyte = 1024 ** 3;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function keep(
  blobRef: string,
  { seenAt = start, contentType = 'image/png', sizeBytes = 5, of = workspaceId } = {},
): Promise<string> {
  const originUrl = `folder:${hashOf(blobRef).slice(0, 2)}/${hashOf(blobRef)}`;
  const sha256 = hashOf(blobRef);
  const origin = { workspaceId: of, blobRef, originUrl, sha256, contentType, sizeBytes };
  await keepMediaOrigin(database.service, origin, seenAt);
  return originUrl;
}

async function unused(now: string, limit = 100): Promise<string[]> {
  const found = await mediaGcCandidates(database.service, { workspaceId, limit }, now);
  return found.map((each) => each.blobRef);
}

const forget = (blobRefs: readonly string[], now: string, of = workspaceId): Promise<number> =>
  forgetMediaOrigins(database.service, { workspaceId: of, blobRefs }, now);

async function rows(table: 'media_origin' | 'media_blobs'): Promise<string[]> {
  const found = await queryRows(
    database.admin,
    z.object({ blob_ref: z.string() }),
    `select blob_ref from outrider.${table} where workspace_id = $1 order by blob_ref`,
    [workspaceId],
  );
  return found.map((each) => each.blob_ref);
}

describe('a file that no message names', () => {
  it('may go when it was not seen for thirty days', async () => {
    await keep('old');
    await keep('seen-again');
    await keep('seen-again', { seenAt: after(day) });
    expect(await unused(after(30 * day))).toEqual([]);
    expect(await unused(after(30 * day + 1))).toEqual(['old']);
    expect(await unused(after(31 * day + 1))).toEqual(['old', 'seen-again']);
    expect(await unused(after(31 * day + 1), 1)).toEqual(['old']);
  });

  it('may go after seven days when it is a large video, and not when it is only one of both', async () => {
    const video = 'video/mp4';
    await keep('film', { contentType: video, sizeBytes: gigabyte });
    await keep('just-large', { contentType: video, sizeBytes: 100 * 1024 ** 2 });
    await keep('clip', { contentType: video, sizeBytes: 100 * 1024 ** 2 - 1 });
    await keep('archive', { contentType: 'application/zip', sizeBytes: gigabyte });
    expect(await unused(after(7 * day))).toEqual([]);
    expect((await unused(after(7 * day + 1))).toSorted()).toEqual(['film', 'just-large']);
    expect(await unused(after(30 * day + 1))).toHaveLength(4);
  });

  it('is kept for as long as the settings of its workspace say', async () => {
    await database.admin.query(
      `update outrider.workspace_settings
       set origin_retention = '2 days', origin_retention_large_video = '5 days', large_video_bytes = 10
       where workspace_id = $1`,
      [workspaceId],
    );
    await keep('photo');
    await keep('film', { contentType: 'video/mp4', sizeBytes: 10 });
    expect(await unused(after(2 * day + 1))).toEqual(['photo']);
    expect((await unused(after(5 * day + 1))).toSorted()).toEqual(['film', 'photo']);
  });

  it('goes with the copies that providers have of it', async () => {
    await keep('old');
    await keep('young', { seenAt: after(20 * day) });
    for (const blobRef of ['old', 'young']) {
      const copy = { blobRef, provider: 'telegram', authRef: 'bot', fileId: 'f1', expiresAt: null };
      await keepMediaBlob(database.service, { workspaceId, ...copy }, start);
    }
    expect(await forget(['old', 'young', 'never-there'], after(31 * day))).toBe(1);
    expect([await rows('media_origin'), await rows('media_blobs')]).toEqual([['young'], ['young']]);
  });
});

describe('a file that a message names', () => {
  const post = { text: 'Lost', media: [{ type: 'image', blob_ref: 'photo' }] };

  beforeEach(async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await keep('photo');
  });

  it('stays for as long as a delivery of the message waits, however old it is', async () => {
    await take(database.service, workspaceId, post, start);
    const late = after(400 * day);
    await restartSweeps(database.service, late);
    await purgeExpired(database.service, { limit: 1000, dryRun: false }, late);
    expect(await unused(late)).toEqual([]);
    expect(await forget(['photo'], late)).toBe(0);
    expect(await rows('media_origin')).toEqual(['photo']);
  });

  it('may go when the message was deleted', async () => {
    await take(database.service, workspaceId, post, start);
    await database.admin.query(
      `update outrider.channels set enabled = false where workspace_id = $1`,
      [workspaceId],
    );
    await database.admin.query('delete from outrider.deliveries where workspace_id = $1', [
      workspaceId,
    ]);
    const late = after(100 * day);
    await database.admin.query('delete from outrider.event_log where workspace_id = $1', [
      workspaceId,
    ]);
    await restartSweeps(database.service, late);
    await purgeExpired(database.service, { limit: 1000, dryRun: false }, late);
    expect(await unused(late)).toEqual(['photo']);
  });

  it('stays when the post comes while it is being forgotten', async () => {
    const late = after(31 * day);
    const candidates = await unused(late);
    expect(candidates).toEqual(['photo']);
    await take(database.service, workspaceId, post, late);
    expect(await forget(candidates, late)).toBe(0);
  });

  it('is passed over while a post that names it is being taken in', async () => {
    const session = await database.admin.connect();
    try {
      await session.query('begin');
      await session.query(
        `select from outrider.media_origin where workspace_id = $1 for no key update`,
        [workspaceId],
      );
      expect(await forget(['photo'], after(31 * day))).toBe(0);
    } finally {
      await session.query('rollback');
      session.release();
    }
    expect(await forget(['photo'], after(31 * day))).toBe(1);
  });
});

describe('the same file in two workspaces', () => {
  it('is forgotten in one and still known by the other', async () => {
    const other = await addNewWorkspace(database);
    const address = await keep('shared');
    await keep('shared', { of: other });
    expect(await forget(['shared'], after(31 * day))).toBe(1);
    expect(await rows('media_origin')).toEqual([]);
    expect(await knownOrigins(database.service, [address, 'folder:elsewhere'])).toEqual([address]);
    expect(await forget(['shared'], after(31 * day), other)).toBe(1);
    expect(await knownOrigins(database.service, [address])).toEqual([]);
  });
});
