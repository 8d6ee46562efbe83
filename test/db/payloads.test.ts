import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import {
  expiredPayloads,
  forgetPayloads,
  keepPayload,
  linkPayload,
  listPayloads,
  openPayloadLink,
  payloadPolicy,
  readPayload,
} from '../../src/db/payloads.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addDelivery, addWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// Where raw requests and answers are kept, who reads them, and when they are forgotten.

const database = await useDatabase();
const { admin, service } = database;
for (const workspaceId of ['city', 'town']) {
  await addWorkspace(admin, workspaceId);
  await addChannel(admin, workspaceId, 'news');
}
const privileged = await database.connectAs({
  roles: ['outrider_service', 'outrider_privileged'],
});
const scoped = await database.connectAs({ roles: ['outrider_privileged'], workspaces: ['city'] });
const who = { operator: 'ann', reason: 'what did they say?' };

const object = { objectUrl: 'folder:aa/1', keyId: 'k1', sizeBytes: 100 };

async function keptRequest(workspaceId: string, payloadRef: string, at = start): Promise<void> {
  const payload = { workspaceId, payloadRef, kind: 'request', runId: 'run-1', ...object } as const;
  expect(await keepPayload(service, payload, at)).toBe(true);
}

const Read = z.object({
  payload_ref: z.string(),
  reading: z.string(),
  login: z.string(),
  operator: z.string(),
  reason: z.string(),
});

async function reads(payloadRef: string): Promise<z.output<typeof Read>[]> {
  return queryRows(
    admin,
    Read,
    `select payload_ref, reading, login, operator, reason from outrider.payload_reads
     where payload_ref = $1 order by read_id`,
    [payloadRef],
  );
}

describe('a raw payload', () => {
  it('is kept as its workspace wishes: what failed, unless it says otherwise', async () => {
    expect(await payloadPolicy(service, 'city')).toBe('errors');
    await expect(
      admin.query("update outrider.workspace_settings set keep_payloads = 'some'"),
    ).rejects.toThrow('keep_payloads_is_errors_or_all_or_none');
  });

  it('that is a request has an event which names it, with the run of its refusal', async () => {
    await keptRequest('city', 'request-1');
    const events = await queryRows(
      admin,
      z.object({ action: z.string(), meta: z.unknown() }),
      `select action, meta from outrider.events where workspace_id = 'city' and payload_ref = 'request-1'`,
    );
    expect(events).toEqual([{ action: 'payload_kept', meta: { run_id: 'run-1' } }]);
  });

  it.each([
    { ok: true, action: 'sent' },
    { ok: false, action: 'retry_scheduled' },
  ])('that is an answer is named by the event of its outcome: $action', async ({ ok, action }) => {
    const deliveryId = await addDelivery(admin, 'city', 'news');
    const [held] = await claimDeliveries(
      service,
      { workspaceId: 'city', runId: 'run', limit: 1 },
      start,
    );
    const payloadRef = `answer-${action.replace('_', '-')}`;
    const payload = { workspaceId: 'city', payloadRef, kind: 'answer', deliveryId } as const;
    await keepPayload(service, { ...payload, ...object }, start);
    const { claimToken } = held ?? { claimToken: '' };
    const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' } as const;
    const outcome = ok
      ? { deliveryId, claimToken, ok: true as const, providerMessageId: '42', payloadRef }
      : { deliveryId, claimToken, ok: false as const, error, payloadRef };
    await commitOutcomes(service, 'city', [outcome], start);
    const events = await queryRows(
      admin,
      z.object({ action: z.string(), payload_ref: z.string().nullable(), meta: z.unknown() }),
      'select action, payload_ref, meta from outrider.events where delivery_id = $1 and action = $2',
      [deliveryId, action],
    );
    expect(events).toMatchObject([{ action, payload_ref: payloadRef }]);
    expect(JSON.stringify(events[0]?.meta)).not.toContain('payload_ref');
  });

  it('is not kept for a delivery of another workspace', async () => {
    const deliveryId = await addDelivery(admin, 'town', 'news');
    const payload = { workspaceId: 'city', payloadRef: 'stray', kind: 'answer' } as const;
    expect(await keepPayload(service, { ...payload, deliveryId, ...object }, start)).toBe(false);
  });
});

describe('reading a raw payload', () => {
  it('is for privileged logins, in their workspaces, and on record', async () => {
    await keptRequest('city', 'read-1');
    await keptRequest('town', 'read-2');
    const reading = { workspaceId: 'city', payloadRef: 'read-1', ...who };
    expect(await readPayload(privileged, reading, start)).toMatchObject({
      objectUrl: 'folder:aa/1',
      keyId: 'k1',
    });
    expect(await readPayload(scoped, reading, start)).toMatchObject({ keyId: 'k1' });
    expect(await reads('read-1')).toMatchObject([
      { reading: 'command', ...who },
      { reading: 'command', ...who },
    ]);
    await expect(
      readPayload(scoped, { ...reading, workspaceId: 'town', payloadRef: 'read-2' }, start),
    ).rejects.toMatchObject({ code: 'not_allowed', sqlstate: 'OR003' });
    expect(await reads('read-2')).toEqual([]);
  });

  it('is refused to Outrider’s own processes and to tenants', async () => {
    await keptRequest('city', 'read-3');
    const tenant = await database.connectAs({
      roles: ['outrider_reader', 'outrider_worker', 'outrider_ingest'],
      workspaces: ['city'],
    });
    for (const login of [service, tenant]) {
      const reading = { workspaceId: 'city', payloadRef: 'read-3', ...who };
      await expect(readPayload(login, reading, start)).rejects.toMatchObject({
        code: 'not_allowed',
      });
      await expect(linkPayload(login, { ...reading, forSeconds: 60 }, start)).rejects.toMatchObject(
        { code: 'not_allowed' },
      );
    }
    expect(await reads('read-3')).toEqual([]);
  });

  it('finds nothing that is of another workspace, or whose time is over', async () => {
    await keptRequest('town', 'read-4');
    const reading = { payloadRef: 'read-4', ...who };
    const missing = { code: 'not_found', message: expect.stringContaining('has no payload') };
    await expect(
      readPayload(privileged, { workspaceId: 'city', ...reading }, start),
    ).rejects.toMatchObject(missing);
    await expect(
      readPayload(privileged, { workspaceId: 'town', ...reading }, after(14 * 86_400)),
    ).rejects.toMatchObject(missing);
  });

  it('keeps neither a phone number nor a token in its reason', async () => {
    await keptRequest('city', 'read-5');
    const reason = 'ann@example.com asks, +7 916 123-45-67';
    const reading = { workspaceId: 'city', payloadRef: 'read-5', operator: 'ann', reason };
    await readPayload(privileged, reading, start);
    expect(await reads('read-5')).toMatchObject([{ reason: '[email] asks, [phone]' }]);
  });
});

describe('a link to a raw payload', () => {
  const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

  it('is good until it ends, for whoever has its token, and each reading is on record', async () => {
    await keptRequest('city', 'linked-1');
    const link = { workspaceId: 'city', payloadRef: 'linked-1', ...who, forSeconds: 600 };
    const token = await linkPayload(privileged, link, start);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    const opening = { workspaceId: 'city', tokenHash: hashOf(token) };
    const opened = { payloadRef: 'linked-1', objectUrl: 'folder:aa/1' };
    expect(await openPayloadLink(service, opening, after(599))).toMatchObject(opened);
    expect(await openPayloadLink(service, opening, after(600))).toBeUndefined();
    expect(
      await openPayloadLink(service, { ...opening, workspaceId: 'town' }, start),
    ).toBeUndefined();
    expect(await reads('linked-1')).toMatchObject([{ reading: 'link', ...who }]);
  });

  it('has its token nowhere in the database', async () => {
    await keptRequest('city', 'linked-2');
    const link = { workspaceId: 'city', payloadRef: 'linked-2', ...who, forSeconds: 600 };
    const token = await linkPayload(privileged, link, start);
    const { rows } = await admin.query('select l::text as row from outrider.payload_links l');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it.each([0, 3601])('is not made for %i seconds', async (forSeconds) => {
    await keptRequest('city', `linked-${forSeconds}s`);
    const link = { workspaceId: 'city', payloadRef: `linked-${forSeconds}s`, ...who, forSeconds };
    await expect(linkPayload(privileged, link, start)).rejects.toMatchObject({
      sqlstate: 'OR001',
      message: 'link_payload: for must be longer than 0, and an hour at most',
    });
  });

  it('ends with its payload', async () => {
    await keptRequest('city', 'linked-3');
    const link = { workspaceId: 'city', payloadRef: 'linked-3', ...who, forSeconds: 600 };
    const token = await linkPayload(privileged, link, start);
    expect(await forgetPayloads(service, 'city', ['linked-3'])).toBe(1);
    const opening = { workspaceId: 'city', tokenHash: hashOf(token) };
    expect(await openPayloadLink(service, opening, start)).toBeUndefined();
  });
});

describe('the time of a raw payload', () => {
  it('is over after payload_ref_retention, and not before', async () => {
    await admin.query('delete from outrider.raw_payloads');
    await keptRequest('city', 'old-2', after(1));
    await keptRequest('city', 'old-1');
    await keptRequest('town', 'old-3', after(2));
    const days = 14 * 86_400;
    expect(await expiredPayloads(service, 10, after(days - 1))).toEqual([]);
    const expired = await expiredPayloads(service, 10, after(days + 2));
    expect(expired.map((each) => each.payloadRef)).toEqual(['old-1', 'old-2', 'old-3']);
    expect(await expiredPayloads(service, 2, after(days + 2))).toHaveLength(2);
    expect(await forgetPayloads(service, 'city', ['old-1', 'old-2', 'old-3'])).toBe(2);
    const page = { workspaceId: 'town', limit: 10 };
    expect(await listPayloads(service, page)).toMatchObject([{ payloadRef: 'old-3' }]);
    expect(await listPayloads(service, { ...page, after: 'old-3' })).toEqual([]);
  });
});
