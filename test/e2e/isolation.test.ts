import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { wakeDispatchers } from '../../src/db/dispatch.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { serviceUrl } from '../support/processes/dispatcher-child.ts';
import { type RunningDispatcher, runDispatcher } from '../support/processes/running-dispatcher.ts';
import {
  addSandboxChannels,
  addSenders,
  type SandboxChannel,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { startWatchedSandbox, type WatchedSandbox } from '../support/sandbox/watched-sandbox.ts';

// One chat never answers, from another one the bot was kicked. Nobody gives up on the first: what all
// others get, they get while it hangs.

const workspaceId = 'isolation';
const postCount = 40;
const maxParallel = 3;
const texts = Array.from({ length: postCount }, (_, n) => `Post ${n}`);

const database = await useDatabase();
let sandbox: WatchedSandbox;
let dispatcher: RunningDispatcher;
let channels: SandboxChannel[];
const hanging = 'telegram-2';
const broken = 'telegram-4';

beforeAll(async () => {
  await ensureEventPartitions(database.service, 1);
  sandbox = await startWatchedSandbox();
  addSenders(sandbox);
  for (const platform of ['telegram', 'max', 'vk'] as const) {
    sandbox[platform].simulator.control('limits', unlimited[platform]);
  }
  channels = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts: { telegram: 8, max: 3, vk: 3 },
    // Shorter than the send hangs: a lease that nobody extends would be recovered, and the post sent again. Long enough
    // to be extended by a dispatcher that a busy machine holds up for some seconds.
    settings: { sending_lease: '10 seconds', recovery_backoff: '0 seconds' },
    columns: { max_parallel: maxParallel },
  });
  sandbox.faults.add({ kind: 'half_open', platform: 'telegram', chat: chatOf(hanging) });
  sandbox.faults.add({ kind: 'kicked', platform: 'telegram', chat: chatOf(broken) });
  dispatcher = await runDispatcher({
    url: serviceUrl(database),
    providers: urlsOf(sandbox),
    // Less than there are posts for each of the two.
    concurrency: 30,
    timeoutMs: 600_000,
    drainMs: 100,
  });
});

afterAll(async () => {
  await dispatcher.stop();
  await sandbox.close();
});

const unlimited = {
  telegram: { chat: null, bot: null },
  max: { messages_per_second: 1e6, requests_per_second: 1e6 },
  vk: { user_rps: null },
};

function chatOf(channelId: string): string {
  return channels.find((each) => each.channelId === channelId)?.targetId ?? '';
}

function isSound({ channelId }: SandboxChannel): boolean {
  return channelId !== hanging && channelId !== broken;
}

const Delivery = z.object({ channel_id: z.string(), status: z.string(), actions: z.string() });

async function read(): Promise<Map<string, z.output<typeof Delivery>[]>> {
  const rows = await queryRows(
    database.admin,
    Delivery,
    `select d.channel_id, d.status::text,
       (select string_agg(e.action::text, ' ' order by e.ts, e.id) from outrider.events e
        where e.workspace_id = d.workspace_id and e.delivery_id = d.delivery_id) as actions
     from outrider.deliveries d where d.workspace_id = $1 order by d.seq`,
    [workspaceId],
  );
  return Map.groupBy(rows, (row) => row.channel_id);
}

/** Until the sends that hang have outlasted the lease that they began with. */
async function leasesToPass(): Promise<void> {
  const Passed = z.object({ passed: z.boolean() });
  await vi.waitFor(async () => {
    const [row] = await queryRows(
      database.admin,
      Passed,
      `select clock_timestamp() > max(d.sending_started_at) + max(s.sending_lease) as passed
       from outrider.deliveries d join outrider.workspace_settings s using (workspace_id)
       where d.channel_id = $1 and d.status = 'sending'`,
      [hanging],
    );
    expect(row).toEqual({ passed: true });
  }, 60_000);
}

describe('while one channel hangs and one is broken', () => {
  it('all posts of all other channels are delivered', async () => {
    for (const text of texts) {
      const request = {
        workspaceId,
        endpointId: null,
        kind: 'push',
        rawPayload: { text },
      } as const;
      await enqueueMessagesAndDeliveries(database.service, request);
      await wakeDispatchers(database.service);
    }
    await vi.waitFor(
      async () => {
        const found = await read();
        for (const { channelId } of channels.filter(isSound)) {
          const statuses = (found.get(channelId) ?? []).map((each) => each.status);
          expect(statuses).toEqual(texts.map(() => 'sent'));
        }
      },
      { timeout: 120_000, interval: 250 },
    );
    for (const channel of channels.filter(isSound)) {
      expect(textsOf(sandbox, channel).toSorted()).toEqual(texts.toSorted());
    }
  });

  it('the first sends of the hanging one are still under way, and nothing was sent twice', async () => {
    await leasesToPass();
    const own = (await read()).get(hanging) ?? [];
    const states = own.map((each) => `${each.status}: ${each.actions}`);
    expect(states).toEqual([
      ...texts.slice(0, maxParallel).map(() => 'sending: enqueue send_attempt'),
      ...texts.slice(maxParallel).map(() => 'queued: enqueue'),
    ]);
    const calls = sandbox.calls.filter((call) => call.chat === chatOf(hanging));
    expect(calls.map((call) => call.text).toSorted()).toEqual(
      texts.slice(0, maxParallel).toSorted(),
    );
  });

  it('the broken one is paused with its posts, after its first refusals', async () => {
    const own = (await read()).get(broken) ?? [];
    const refused = own.filter((each) => each.status === 'failed_permanent');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(maxParallel);
    const rest = own.filter((each) => each.status !== 'failed_permanent');
    expect(new Set(rest.map((each) => each.status))).toEqual(new Set(['queued']));
    expect(sandbox.calls.filter((call) => call.chat === chatOf(broken))).toHaveLength(
      refused.length,
    );
  });
});
