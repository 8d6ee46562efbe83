import { afterAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { type Dispatcher, startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { silentLog } from '../../src/log.ts';
import { addBacklog, addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { type Ingest, openIngest, overheard, type Reply, send } from '../support/http/ingest.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import { sent } from '../support/queue/outcomes.ts';
import {
  addSandboxChannels,
  sandboxDeliver,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { statusesOf } from '../support/sandbox/sandbox-posts.ts';

const database = await useDatabase();
const sandbox = await useSandbox();
const senders = sandboxDeliver(database.service, urlsOf(sandbox));
const undo = useUndo();

afterAll(() => senders.close());

interface Both {
  readonly ingest: Ingest;
  readonly dispatcher: Dispatcher;
  /** The functions that were called, in their order. */
  readonly calls: string[];
  readonly channels: Awaited<ReturnType<typeof addSandboxChannels>>;
  readonly push: (text: string) => Promise<Reply>;
}

/** Intake and dispatch in one process, as `outrider up` has them, for a workspace with as many channels. */
async function startBoth(
  workspaceId: string,
  telegram: number,
  options: { deliver?: typeof senders.deliver; concurrency?: number; drainMs?: number } = {},
): Promise<Both> {
  const { deliver = senders.deliver, concurrency = 50, drainMs = 5000 } = options;
  const channels = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts: { telegram },
  });
  await addEndpoint(database.admin, workspaceId, workspaceId, { ingress_rps: 1000 });
  // The group's row is made by the first claim.
  await database.admin.query(
    `insert into outrider.platform_limits (workspace_id, platform, rate_group, updated_at)
     select distinct workspace_id, platform, rate_group, now() from outrider.channels where workspace_id = $1
     on conflict do nothing`,
    [workspaceId],
  );
  const calls: string[] = [];
  const client = overheard(database.service, (statement) => {
    calls.push(/outrider\.(\w+)/.exec(statement)?.[1] ?? statement);
  });
  const settings = { client, deliver, log: silentLog, concurrency, drainMs, pollMs: 60_000 };
  const dispatcher = startDispatcher(settings);
  undo.push(() => dispatcher.stop());
  const ingest = await openIngest(client, {
    claimer: (id) => dispatcher.claimer(id),
    wake: (id) => void dispatcher.wake(id),
  });
  undo.push(() => ingest[Symbol.asyncDispose]());
  await vi.waitFor(() => expect(calls).toContain('next_due_at'), 10_000); // it has come to rest
  const push = (text: string): Promise<Reply> => send(ingest, workspaceId, { text });
  return { ingest, dispatcher, calls, channels, push };
}

describe('a push in the process that sends', () => {
  it('is sent without a claim of its own', async () => {
    const { push, calls, channels } = await startBoth('both', 2);
    expect((await push('Lost: Bim')).status).toBe(202);
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, 'both')).toEqual({ sent: 2 }),
      20_000,
    );
    expect(calls.filter((call) => call === 'claim_deliveries')).toEqual([]);
    for (const channel of channels) expect(textsOf(sandbox, channel)).toEqual(['Lost: Bim']);
  });

  it('waits its turn where the dispatcher has no room, and is sent all the same', async () => {
    const sends = new HeldSends(senders.deliver);
    const both = await startBoth('full', 1, { deliver: sends.deliver, concurrency: 9 });
    await both.push('Lost: one');
    await vi.waitFor(() => expect(sends.begun).toHaveLength(1), 20_000);
    expect(both.calls).not.toContain('claim_deliveries');
    await both.push('Lost: two'); // 8 places left; a workspace has nine tenths of 9
    await vi.waitFor(() => expect(sends.begun).toHaveLength(2), 20_000);
    expect(both.calls).toContain('claim_deliveries');
    sends.letGo();
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, 'full')).toEqual({ sent: 2 }),
      20_000,
    );
  });

  it('is given back, with no attempt used up, when the dispatcher stops before its answer is there', async () => {
    // The push comes within the grace, however slow the machine is.
    const { dispatcher, ingest, calls } = await startBoth('stopping', 1, { drainMs: 60_000 });
    const claimer = dispatcher.claimer('stopping');
    if (claimer === undefined) throw new Error('there is room');
    const stopped = dispatcher.stop();
    const other = await openIngest(database.service, { claimer: () => claimer });
    undo.push(() => other[Symbol.asyncDispose]());
    expect((await send(other, 'stopping', { text: 'Lost: Bim' })).status).toBe(202);
    await stopped;
    expect(calls).toContain('release_claims');
    const rows = await queryRows(
      database.admin,
      z.object({ status: z.string(), left: z.number() }),
      `select status::text, attempt_limit - attempt as left from outrider.deliveries where workspace_id = 'stopping'`,
    );
    expect(rows).toEqual([{ status: 'retry', left: 5 }]);
    expect(ingest.woken).toEqual([]);
  });

  it('keeps no calls from other workspaces, however many of one are held up', async () => {
    const sends = new HeldSends((_, delivery) => Promise.resolve(sent(delivery)));
    const both = await startBoth('flooded', 1, { deliver: sends.deliver, concurrency: 50 });
    await addWorkspace(database.admin, 'beside');
    await addChannel(database.admin, 'beside', 'news', { max_parallel: 100 });
    await addBacklog(database.admin, 'beside', ['news'], 60);
    const held = Array.from({ length: 100 }, () => both.dispatcher.claimer('flooded'));
    expect(held.filter((each) => each !== undefined)).toHaveLength(3);
    both.dispatcher.wake('beside');
    const begun = () => sends.begun.filter(({ workspaceId }) => workspaceId === 'beside');
    await vi.waitFor(() => expect(begun()).toHaveLength(45), 20_000);
    for (const each of held) each?.take([]);
    sends.letGo();
  });

  it('does not keep a dispatcher from stopping in its time', async () => {
    const { dispatcher } = await startBoth('held-up', 1, { drainMs: 10 });
    expect(dispatcher.claimer('held-up')).toBeDefined();
    await dispatcher.stop();
  });

  it('is sent beside others that come at the same moment', async () => {
    const { push, calls } = await startBoth('two', 1);
    await Promise.all([push('Lost: one'), push('Lost: two'), push('Lost: three')]);
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, 'two')).toEqual({ sent: 3 }),
      20_000,
    );
    expect(calls.filter((call) => call === 'ingest_push')).toHaveLength(3);
  });
});
