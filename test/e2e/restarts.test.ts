import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { wakeDispatchers } from '../../src/db/dispatch.ts';
import { openPool } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import {
  type RestartableSystem,
  startRestartableSystem,
} from '../support/processes/restartable-system.ts';
import {
  addSandboxChannels,
  type SandboxChannel,
  textsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';

let system: RestartableSystem;
let admin: ReturnType<typeof openPool>;

beforeAll(async () => {
  system = await startRestartableSystem();
  admin = openPool({ url: system.adminUrl, applicationName: 'restarts test', max: 4 });
});

afterAll(async () => {
  await admin.end();
  await system.close();
});

/** What a dispatcher has lost track of comes back soon, and not while the server restarts. */
const settings = { sending_lease: '6 seconds', recovery_backoff: '0 seconds' };

async function addChannels(
  workspaceId: string,
  counts: Parameters<typeof addSandboxChannels>[2]['counts'],
) {
  return addSandboxChannels(admin, system.sandbox, { workspaceId, counts, settings });
}

async function postMany(workspaceId: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) await post(admin, workspaceId, text);
  await wakeDispatchers(admin);
}

async function endsToReach(count: number): Promise<void> {
  const wait = { timeout: 60_000, interval: 5 };
  await vi.waitFor(() => expect(system.ended()).toBeGreaterThanOrEqual(count), wait);
}

async function allToBeSent(workspaceId: string, count: number): Promise<void> {
  await vi.waitFor(
    async () => expect(await statusesOf(admin, workspaceId)).toEqual({ sent: count }),
    { timeout: 60_000, interval: 100 },
  );
}

/** Deliveries whose text the chat shows more than once; throws when one is not shown. */
async function shownTwice(workspaceId: string, channels: readonly SandboxChannel[]) {
  const rows = await queryRows(
    admin,
    z.object({ delivery_id: z.string(), channel_id: z.string(), rendered_text: z.string() }),
    'select delivery_id, channel_id, rendered_text from outrider.deliveries where workspace_id = $1',
    [workspaceId],
  );
  return channels.flatMap((channel) => {
    const texts = Map.groupBy(textsOf(system.sandbox, channel), (text) => text);
    const own = rows.filter((row) => row.channel_id === channel.channelId);
    const unseen = own.filter((row) => !texts.has(row.rendered_text));
    expect(unseen).toEqual([]);
    return own
      .filter((row) => (texts.get(row.rendered_text)?.length ?? 0) > 1)
      .map((row) => ({ platform: channel.platform, deliveryId: row.delivery_id }));
  });
}

describe('a dispatcher whose PostgreSQL restarts', () => {
  it('goes on by itself after a crash, a restart and a cut, and loses none of 2,000 deliveries', async () => {
    const channels = await addChannels('restarts', { telegram: 8, max: 6, vk: 6 });
    await postMany(
      'restarts',
      Array.from({ length: 100 }, (_, n) => `post ${n}`),
    );
    await endsToReach(300);
    const first = await system.killServer('SIGQUIT');
    await endsToReach(900);
    const afterCrash = system.failures();
    expect(afterCrash).toBeGreaterThan(0);
    expect(await system.killServer('SIGINT')).not.toBe(first);
    await endsToReach(1500);
    const afterRestart = system.failures();
    expect(afterRestart).toBeGreaterThan(afterCrash);
    const wires = [system.queries, system.wakes];
    // Until a call is struck: at any one moment there may be none under way.
    await vi.waitFor(
      () => {
        if (system.failures() === afterRestart) for (const each of wires) each.cut();
        expect(system.failures()).toBeGreaterThan(afterRestart);
      },
      { timeout: 60_000, interval: 50 },
    );
    await allToBeSent('restarts', 2000);

    const twice = await shownTwice('restarts', channels);
    expect(twice.filter(({ platform }) => platform !== 'telegram')).toEqual([]);
    expect(twice.filter(({ deliveryId }) => !system.cutOff.has(deliveryId))).toEqual([]);
    console.log(
      `${system.cutOff.size} outcomes waited for a commit that was cut off, ${twice.length} posts repeated on Telegram`,
    );
  });
});

describe('a dispatcher whose connections fall silent', () => {
  it('gives them up, goes on over new ones, and loses nothing', async () => {
    const channels = await addChannels('silent', { telegram: 4, max: 3, vk: 3 });
    const before = system.ended();
    await postMany(
      'silent',
      Array.from({ length: 30 }, (_, n) => `post ${n}`),
    );
    await endsToReach(before + 50);
    const made = system.queries.made();
    system.queries.freeze();
    await allToBeSent('silent', 300);
    expect(system.queries.made()).toBeGreaterThan(made);
    const twice = await shownTwice('silent', channels);
    expect(twice.filter(({ platform }) => platform !== 'telegram')).toEqual([]);
    expect(twice.filter(({ deliveryId }) => !system.cutOff.has(deliveryId))).toEqual([]);
  });

  it('hears of new posts again after the connection that it listens on has fallen silent', async () => {
    await addChannels('deaf', { telegram: 2 });
    const woken = system.woken();
    system.wakes.freeze();
    // The new connection wakes it once, for what it has missed.
    await vi.waitFor(() => expect(system.woken()).toBeGreaterThan(woken), 60_000);
    const again = system.woken();
    await postMany('deaf', ['heard']);
    await allToBeSent('deaf', 2);
    expect(system.woken()).toBeGreaterThan(again);
  });
});
