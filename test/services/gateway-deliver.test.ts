import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { drawPicture } from '../../sandbox/vk/picture.ts';
import { keepMediaOrigin } from '../../src/db/media.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import {
  claimRows,
  commitEntry,
  type GatewayOptions,
  type OpenGateway,
  openGateway,
  type Row,
} from '../support/http/gateway.ts';
import { take } from '../support/posts/intake.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import {
  addSandboxChannels,
  type SandboxChannel,
  textsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';
import type { Platform } from '../support/sandbox/three-platforms.ts';

// POST /v1/deliver: a row of claim_deliveries in, an entry of commit_outcomes out. Everything but the caller is real.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const undo = useUndo(() => sandbox.faults.clear());

async function open(options: GatewayOptions = {}): Promise<OpenGateway> {
  const gateway = await openGateway({ database, sandbox, folder }, options);
  undo.push(() => gateway[Symbol.asyncDispose]());
  return gateway;
}

/** A workspace with a post that waits for each channel. */
async function posted(
  counts: Partial<Record<Platform, number>>,
  columns: Readonly<Record<string, unknown>> = {},
): Promise<{ workspaceId: string; channels: SandboxChannel[] }> {
  const workspaceId = database.newWorkspaceId();
  const channels = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts,
    columns,
  });
  await post(database.service, workspaceId, `Post of ${workspaceId}`);
  return { workspaceId, channels };
}

async function one(lease?: string): Promise<{
  workspaceId: string;
  row: Row;
  channel: SandboxChannel;
}> {
  const { workspaceId, channels } = await posted({ telegram: 1 });
  const [row] = await claimRows(database, workspaceId, lease);
  const [channel] = channels;
  if (row === undefined || channel === undefined) throw new Error('nothing was claimed');
  return { workspaceId, row, channel };
}

/** A gateway whose sends wait until the test lets them go. */
async function openHolding(options: GatewayOptions = {}) {
  let held: HeldSends | undefined;
  const around = (deliver: Deliver): Deliver => {
    held = new HeldSends(deliver);
    return held.deliver;
  };
  const gateway = await open({ ...options, means: { around } });
  if (held === undefined) throw new Error('the gateway made no sends');
  undo.push(() => held?.letGo());
  return { gateway, held };
}

const begun = (held: HeldSends, count: number) =>
  vi.waitFor(() => expect(held.begun).toHaveLength(count), 10_000);

describe('a claimed row', () => {
  it('is sent on every platform, and its answer is committed as it came', async () => {
    const gateway = await open();
    const { workspaceId, channels } = await posted({ telegram: 1, max: 1, vk: 1 });
    const rows = await claimRows(database, workspaceId);
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      const { status, body } = await gateway.ask('/v1/deliver', row);
      expect([status, Object.keys(body)]).toEqual([
        200,
        ['delivery_id', 'claim_token', 'ok', 'provider_message_id'],
      ]);
      expect(await commitEntry(database, workspaceId, body)).toMatchObject({ became: 'sent' });
    }
    for (const each of channels) {
      expect(textsOf(sandbox, each)).toEqual([`Post of ${workspaceId}`]);
    }
  });

  it('is not committed by the gateway', async () => {
    const gateway = await open();
    const { workspaceId, row } = await one();
    expect((await gateway.ask('/v1/deliver', row)).body).toMatchObject({ ok: true });
    expect(await statusesOf(database.admin, workspaceId)).toEqual({ sending: 1 });
  });

  it.each([
    [
      { kind: 'rate_limited', retryAfter: 7 },
      { code: 'rate_limited', retry_after_ms: 7000 },
      'retry',
    ],
    [{ kind: 'kicked' }, { category: 'PERMANENT', scope: 'channel' }, 'failed_permanent'],
    [{ kind: 'drop' }, { code: 'outcome_unknown', outcome: 'unknown' }, 'retry'],
    [{ kind: 'revoked' }, { code: 'credential_refused', cause: 'credential' }, 'retry'],
  ] as const)('that the platform fails is an outcome: %j', async (fault, error, became) => {
    const gateway = await open();
    const { workspaceId, row, channel } = await one();
    sandbox.faults.add({ ...fault, chat: channel.targetId, times: 1 });
    const { status, body } = await gateway.ask('/v1/deliver', row);
    expect([status, body]).toEqual([200, expect.objectContaining({ ok: false })]);
    expect(body['error']).toMatchObject(error);
    expect(await commitEntry(database, workspaceId, body)).toMatchObject({ became });
  });

  it.each(['pager', 'constructor', '__proto__'])(
    'for a platform that is not there is an outcome, too: %s',
    async (platform) => {
      const gateway = await open();
      const { row } = await one();
      const channel = z.record(z.string(), z.unknown()).parse(row['channel']);
      const { status, body } = await gateway.ask('/v1/deliver', {
        ...row,
        channel: { ...channel, platform },
      });
      const message = `there is no adapter for platform "${platform}"`;
      expect([status, body['error']]).toMatchObject([
        200,
        { code: 'unsupported_platform', message },
      ]);
    },
  );

  it('without its secret is an outcome that names the variable and not the value', async () => {
    const gateway = await open({ secrets: { TELEGRAM_TOKEN: '' } });
    const { row } = await one();
    const { body } = await gateway.ask('/v1/deliver', row);
    expect(body['error']).toMatchObject({ code: 'credential_refused' });
    expect(JSON.stringify(body)).toContain('TELEGRAM_TOKEN');
  });
});

describe('an album whose second part fails', () => {
  it('keeps its first part, and the next attempt sends the rest', async () => {
    const gateway = await open();
    const workspaceId = database.newWorkspaceId();
    const [channel] = await addSandboxChannels(database.admin, sandbox, {
      workspaceId,
      counts: { max: 1 },
    });
    const media = [];
    for (const n of [1, 2]) {
      const bytes = (async function* () {
        yield drawPicture(640, 480, `${workspaceId} ${n}`);
      })();
      const blob = await folderStore(`${folder}/media`).put(bytes, { maxBytes: 1_000_000 });
      await keepMediaOrigin(database.service, { workspaceId, ...blob });
      media.push({ type: 'file', blob_ref: blob.blobRef, filename: `part-${n}.png` });
    }
    await take(database.service, workspaceId, { text: 'Two', media }, new Date().toISOString());
    const strike = { method: 'POST /messages', chat: channel?.targetId, after: 1, times: 1 };
    sandbox.faults.add({ kind: 'rate_limited', retryAfter: 1, ...strike });
    const [row] = await claimRows(database, workspaceId);
    const failed = await gateway.ask('/v1/deliver', row);
    expect(failed.body).toMatchObject({ ok: false, parts: [{ item: 0 }] });
    expect(await commitEntry(database, workspaceId, failed.body)).toMatchObject({
      became: 'retry',
    });
    const again = await vi.waitFor(async () => {
      const [next] = await claimRows(database, workspaceId);
      expect(next).toBeDefined();
      return next;
    }, 20_000);
    const sent = await gateway.ask('/v1/deliver', again);
    expect(await commitEntry(database, workspaceId, sent.body)).toMatchObject({ became: 'sent' });
    const chats = sandbox.max.simulator.chats();
    const shown = chats.find((each) => each.chat === channel?.targetId)?.posts ?? [];
    const names = shown.flatMap((each) => each.media).map((each) => each.filename);
    expect(names).toEqual(['part-1.png', 'part-2.png']);
  }, 30_000);
});

describe('a send that takes longer than its lease', () => {
  it('is kept: nobody recovers it meanwhile, and its commit counts', async () => {
    const { gateway, held } = await openHolding();
    // So long that a machine that pauses for a moment does not lose it.
    const { workspaceId, row } = await one('6 seconds');
    const claimedUntil = await leaseUntil(workspaceId);
    const asked = gateway.ask('/v1/deliver', row);
    await begun(held, 1);
    // Its lease would have ended twice by then.
    await vi.waitFor(
      async () => expect(await leaseUntil(workspaceId)).toBeGreaterThan(claimedUntil + 12_000),
      30_000,
    );
    expect(await recoverLeases(database.service, workspaceId)).toEqual([]);
    held.letGo();
    const { body } = await asked;
    expect(await commitEntry(database, workspaceId, body)).toMatchObject({ became: 'sent' });
  });

  async function leaseUntil(workspaceId: string): Promise<number> {
    const { until } = await queryRow(
      database.admin,
      z.object({ until: z.number() }),
      `select (extract(epoch from lease_until) * 1000)::float8 as until from outrider.leases
       where workspace_id = $1`,
      [workspaceId],
    );
    return until;
  }
});

describe('a row that is no longer held', () => {
  it.each(['recovered', 'committed'])('is not sent: %s', async (how) => {
    const gateway = await open();
    const { workspaceId, row, channel } = await one();
    if (how === 'recovered') {
      await recoverLeases(database.service, workspaceId, '2100-01-01T00:00:00Z');
    } else {
      const { delivery_id, claim_token } = row;
      const entry = { delivery_id, claim_token, ok: true, provider_message_id: '1' };
      await commitEntry(database, workspaceId, entry);
    }
    const { status, body } = await gateway.ask('/v1/deliver', row);
    expect([status, body['error']]).toMatchObject([
      200,
      { code: 'lease_over', outcome: 'not_sent', cause: 'sender' },
    ]);
    expect(await commitEntry(database, workspaceId, body)).toMatchObject({
      became: null,
      note: expect.stringMatching(/^stale: /),
    });
    expect(textsOf(sandbox, channel)).toEqual([]);
  });
});

describe('a row that comes twice', () => {
  it('joins the send that is under way, and is shown once', async () => {
    const { gateway, held } = await openHolding();
    const { row, channel } = await one();
    const first = gateway.ask('/v1/deliver', row);
    await begun(held, 1);
    const second = gateway.ask('/v1/deliver', row);
    held.letGo();
    const [one1, one2] = await Promise.all([first, second]);
    expect(one2.body).toEqual(one1.body);
    expect(held.begun).toHaveLength(1);
    expect(textsOf(sandbox, channel)).toHaveLength(1);
  });

  it('gets the outcome that it had', async () => {
    const gateway = await open();
    const { row, channel } = await one();
    const first = await gateway.ask('/v1/deliver', row);
    const second = await gateway.ask('/v1/deliver', row);
    expect(second.body).toEqual(first.body);
    expect(textsOf(sandbox, channel)).toHaveLength(1);
  });

  it('is shown once, however its ids are written', async () => {
    const { gateway, held } = await openHolding();
    const { row, channel } = await one();
    const shouted = { ...row, delivery_id: String(row['delivery_id']).toUpperCase() };
    const first = gateway.ask('/v1/deliver', row);
    await begun(held, 1);
    const second = gateway.ask('/v1/deliver', shouted);
    held.letGo();
    expect((await first).body).toMatchObject({ ok: true });
    expect((await second).body).toMatchObject({ ok: true });
    expect(textsOf(sandbox, channel)).toHaveLength(1);
  });

  it('is tried again if nothing was sent', async () => {
    const gateway = await open();
    const { row, channel } = await one();
    const misread = { ...row, render_meta: { parts: 'none' } };
    expect((await gateway.ask('/v1/deliver', misread)).body['error']).toMatchObject({
      code: 'unreadable_delivery',
      outcome: 'not_sent',
    });
    expect((await gateway.ask('/v1/deliver', row)).body).toMatchObject({ ok: true });
    expect(textsOf(sandbox, channel)).toHaveLength(1);
  });
});

describe('a caller that goes away', () => {
  it('before anything was sent leaves nothing sent, and the row may come again', async () => {
    const { gateway, held } = await openHolding();
    const { row, channel } = await one();
    const leaving = new AbortController();
    const asked = gateway.ask('/v1/deliver', row, {
      signal: leaving.signal,
    });
    asked.catch(() => undefined);
    await begun(held, 1);
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(gateway.lines.join()).toContain('a caller has gone'), 10_000);
    held.letGo();
    await vi.waitFor(() => expect(gateway.lines.join()).toContain('"code":"lease_over"'), 10_000);
    expect(textsOf(sandbox, channel)).toEqual([]);
    expect((await gateway.ask('/v1/deliver', row)).body).toMatchObject({ ok: true });
    expect(textsOf(sandbox, channel)).toHaveLength(1);
  });

  it('during a send does not stop it, and gets its outcome when it comes back', async () => {
    const ending = Promise.withResolvers<void>();
    let begins = 0;
    const around =
      (deliver: Deliver): Deliver =>
      async (...send) => {
        begins += 1;
        const outcome = await deliver(...send);
        await ending.promise;
        return outcome;
      };
    const gateway = await open({ means: { around } });
    undo.push(() => ending.resolve());
    const { row, channel } = await one();
    const leaving = new AbortController();
    const asked = gateway.ask('/v1/deliver', row, { signal: leaving.signal });
    asked.catch(() => undefined);
    await vi.waitFor(() => expect(textsOf(sandbox, channel)).toHaveLength(1), 10_000);
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    ending.resolve();
    const { body } = await gateway.ask('/v1/deliver', row);
    expect(body).toMatchObject({ ok: true });
    expect([begins, textsOf(sandbox, channel).length]).toEqual([1, 1]);
  });
});

describe('a raw answer', () => {
  it('is kept, and the entry names it', async () => {
    const key = `k1:${randomBytes(32).toString('base64')}`;
    const gateway = await open({ payloadKeyRef: 'env:KEYS', secrets: { KEYS: key } });
    const { workspaceId, row, channel } = await one();
    sandbox.faults.add({ kind: 'kicked', chat: channel.targetId, times: 1 });
    const { body } = await gateway.ask('/v1/deliver', row);
    expect(body).toMatchObject({ ok: false, payload_ref: expect.any(String) });
    await commitEntry(database, workspaceId, body);
    const { refs } = await queryRow(
      database.admin,
      z.object({ refs: z.array(z.string()) }),
      `select array_agg(payload_ref) as refs from outrider.events
       where workspace_id = $1 and payload_ref is not null`,
      [workspaceId],
    );
    expect(refs).toEqual([body['payload_ref']]);
  });
});

describe('the log', () => {
  it('names the delivery and its fault, and no token', async () => {
    const gateway = await open();
    const { row, channel } = await one();
    sandbox.faults.add({ kind: 'kicked', chat: channel.targetId, times: 1 });
    await gateway.ask('/v1/deliver', row);
    const text = gateway.lines.join('');
    expect(text).toContain(String(row['delivery_id']));
    for (const secret of ['canary-token', 'C4nary']) expect(text).not.toContain(secret);
  });
});
