import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { listPayloads } from '../../src/db/payloads.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import type { OriginStore } from '../../src/media/origin-store.ts';
import { forgetExpired } from '../../src/payloads/expiry.ts';
import { createPayloadKeeper, type PayloadKeeper } from '../../src/payloads/keeper.ts';
import { parsePayloadKeys } from '../../src/payloads/keys.ts';
import { createPayloadStore } from '../../src/payloads/payload-store.ts';
import { addChannel, addDelivery, addWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { openIngest, send } from '../support/http/ingest.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

// What keeps raw requests and answers, and lets nobody wait or fail for it.

const keys = parsePayloadKeys(`k1:${randomBytes(32).toString('base64')}`);
const raw = { status: 400, headers: { 'x-a': 'b' }, body: '{"ok":false}' };

const database = await useDatabase();
const folder = await useFolder();
let workspaceId: string;
let deliveryId: string;
let count = 0;
let troubles: string[] = [];

beforeEach(async () => {
  count += 1;
  troubles = [];
  workspaceId = `w${count}`;
  await addWorkspace(database.admin, workspaceId);
  await addChannel(database.admin, workspaceId, 'news');
  deliveryId = await addDelivery(database.admin, workspaceId, 'news');
});

const place = (): string => path.join(folder, workspaceId);

function keeper({
  objects = folderStore(place()),
  client = database.service,
  clock = createManualClock(), // stands still: an answer may take its time
}: {
  readonly objects?: OriginStore;
  readonly client?: Queryable;
  readonly clock?: Clock;
} = {}): PayloadKeeper {
  const trouble = {
    failed: (error: unknown) => void troubles.push(String(error)),
    over: () => undefined,
  };
  const store = createPayloadStore(objects, keys);
  return createPayloadKeeper({ client, store, objects, clock, trouble, crowd: trouble });
}

function answer(isError: boolean) {
  return { workspaceId, deliveryId, isError, raw };
}

async function setPolicy(policy: string): Promise<void> {
  await database.admin.query(
    'update outrider.workspace_settings set keep_payloads = $2 where workspace_id = $1',
    [workspaceId, policy],
  );
}

async function kept(): Promise<string[]> {
  const rows = await listPayloads(database.service, { workspaceId, limit: 1000 });
  return rows.map((row) => row.payloadRef).toSorted();
}

async function files(): Promise<number> {
  const all = await readdir(place(), { recursive: true, withFileTypes: true });
  return all.filter((each) => each.isFile()).length;
}

describe('the keeper of raw payloads', () => {
  it.each([
    { policy: 'errors', failure: true, success: false },
    { policy: 'all', failure: true, success: true },
    { policy: 'none', failure: false, success: false },
  ])('keeps what the workspace wishes: $policy', async ({ policy, failure, success }) => {
    await setPolicy(policy);
    const each = keeper();
    const refs = [await each.keepAnswer(answer(true)), await each.keepAnswer(answer(false))];
    expect(refs.map((ref) => ref !== undefined)).toEqual([failure, success]);
    expect(await kept()).toEqual(refs.filter((ref) => ref !== undefined).toSorted());
    expect(each.mayWantAll(workspaceId)).toBe(policy === 'all');
    expect(troubles).toEqual([]);
  });

  it('follows a change of the setting within ten seconds', async () => {
    const clock = createManualClock();
    const each = keeper({ clock });
    expect(await each.keepAnswer(answer(true))).toBeDefined();
    await setPolicy('none');
    clock.advance(9000);
    expect(await each.keepAnswer(answer(true))).toBeDefined();
    clock.advance(1000);
    expect(await each.keepAnswer(answer(true))).toBeUndefined();
  });

  it('goes without it when the store takes nothing', async () => {
    const objects = { ...folderStore(place()), put: () => Promise.reject(new Error('read-only')) };
    expect(await keeper({ objects }).keepAnswer(answer(true))).toBeUndefined();
    expect(troubles).toEqual(['Error: read-only']);
    expect(await kept()).toEqual([]);
  });

  it('goes without it when the store takes more than two seconds', async () => {
    const clock = createManualClock();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const objects = {
      ...folderStore(place()),
      put: () => {
        begin();
        return new Promise<never>(() => undefined);
      },
    };
    const keeping = keeper({ objects, clock }).keepAnswer(answer(true));
    await begun;
    clock.advance(2000);
    expect(await keeping).toBeUndefined();
  });

  it('writes sixteen at once, and leaves the others of a storm out', async () => {
    const each = keeper();
    const refs = await Promise.all(Array.from({ length: 40 }, () => each.keepAnswer(answer(true))));
    expect(refs.filter((ref) => ref !== undefined)).toHaveLength(16);
    expect(troubles).toHaveLength(24);
    expect(await each.keepAnswer(answer(true))).toBeDefined();
  });

  it('leaves no object behind that it cannot record', async () => {
    const client: Queryable = {
      query: (config: unknown) => {
        const isKeep = JSON.stringify(config).includes('keep_payload(');
        if (isKeep) return Promise.reject(new Error('away'));
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the pool takes it
        return database.service.query(config as { text: string });
      },
    };
    expect(await keeper({ client }).keepAnswer(answer(true))).toBeUndefined();
    const gone = { ...answer(true), deliveryId: '00000000-0000-4000-8000-000000000001' };
    expect(await keeper().keepAnswer(gone)).toBeUndefined();
    expect(await files()).toBe(0);
  });
});

describe('a raw request', () => {
  it('waits in line while others are written, and is left out of a storm', async () => {
    const each = keeper();
    const request = { method: 'POST', path: '/', rawHeaders: [], body: Buffer.from('x') };
    const one = { workspaceId, isError: true, raw: request };
    await Promise.all(Array.from({ length: 100 }, () => each.keepRequest(one)));
    expect(await kept()).toHaveLength(80);
    expect(troubles).toHaveLength(20);
  });

  it('is kept when it is refused, and not when it is for its pace', async () => {
    const secret = `secret-${workspaceId}`;
    await addEndpoint(database.admin, workspaceId, secret, { ingress_rps: 0.001 });
    await using ingest = await openIngest(database.service, { payloads: keeper() });
    expect((await send(ingest, secret, '{"text": ')).status).toBe(400);
    expect((await send(ingest, secret, '{"text": ')).status).toBe(429);
    await expect.poll(kept).toHaveLength(1);
  });

  it('is kept up to what the endpoint takes', async () => {
    const secret = `secret-${workspaceId}`;
    await addEndpoint(database.admin, workspaceId, secret, { max_payload_bytes: 10 });
    await using ingest = await openIngest(database.service, { payloads: keeper() });
    expect((await send(ingest, secret, { text: 'x'.repeat(100) })).status).toBe(413);
    await expect.poll(kept).toHaveLength(1);
    const [payload] = await listPayloads(database.service, { workspaceId, limit: 1 });
    const { payloadRef = '', objectUrl = '' } = payload ?? {};
    const store = createPayloadStore(folderStore(place()), keys);
    const object = await store.open({ workspaceId, payloadRef }, objectUrl);
    expect(object?.ok === true && object.bytes.toString()).toMatch(/\r\n\r\n\{"text":"x$/);
  });

  it('is not refused by a store that takes nothing', async () => {
    await setPolicy('all');
    const secret = `secret-${workspaceId}`;
    await addEndpoint(database.admin, workspaceId, secret);
    const objects = { ...folderStore(place()), put: () => Promise.reject(new Error('read-only')) };
    await using ingest = await openIngest(database.service, { payloads: keeper({ objects }) });
    expect((await send(ingest, secret, { text: 'Found: a dog' })).status).toBe(202);
    await expect.poll(() => troubles).toEqual(['Error: read-only']);
  });

  it('cannot be read by a link at a process without a key', async () => {
    await using ingest = await openIngest(database.service);
    const response = await fetch(`${ingest.url}/v1/payloads/${workspaceId}.${'0'.repeat(64)}`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'payload_unreadable' } });
  });
});

describe('the time of raw payloads', () => {
  const later = after(15 * 86_400, new Date().toISOString());

  it('ends with their objects and rows', async () => {
    const each = keeper();
    for (let n = 0; n < 3; n += 1) await each.keepAnswer(answer(true));
    await forgetExpired(database.service, folderStore(place()));
    expect([(await kept()).length, await files()]).toEqual([3, 3]);
    await forgetExpired(database.service, folderStore(place()), { now: later });
    expect([(await kept()).length, await files()]).toEqual([0, 0]);
  });

  it('ends later when the process is being stopped', async () => {
    await keeper().keepAnswer(answer(true));
    const isOver = (): boolean => true;
    await forgetExpired(database.service, folderStore(place()), { now: later, isOver });
    expect([(await kept()).length, await files()]).toEqual([1, 1]);
  });

  it('ends for a row whose object a crash has left it without', async () => {
    await keeper().keepAnswer(answer(true));
    const objects = folderStore(place());
    const [payload] = await listPayloads(database.service, { workspaceId, limit: 1 });
    await objects.remove(payload?.objectUrl ?? '');
    expect(await kept()).toHaveLength(1);
    await forgetExpired(database.service, objects, { now: later });
    expect(await kept()).toEqual([]);
  });

  it('does not end for a row whose object cannot be removed', async () => {
    await keeper().keepAnswer(answer(true));
    const remove = (): Promise<never> => Promise.reject(new Error('read-only'));
    await expect(forgetExpired(database.service, { remove }, { now: later })).rejects.toThrow(
      'read-only',
    );
    expect(await kept()).toHaveLength(1);
  });
});
