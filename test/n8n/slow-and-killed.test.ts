import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { useN8n } from '../support/fixtures/n8n.ts';
import { type Orchestrated, orchestrate } from '../support/n8n/orchestrated.ts';

const stage = await useN8n();

afterEach(() => {
  stage.beforeSend = async () => undefined;
});

async function pushMany(city: Orchestrated, count: number): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, n) => `Post ${n + 1}`);
  for (const text of texts) expect(await city.push({ text })).toMatchObject({ status: 202 });
  return texts;
}

const room = { claim_per_channel: 20 };

describe('a platform that takes two seconds', () => {
  it('gets a full claim without a stale commit, and nothing twice', async () => {
    stage.beforeSend = () => delay(2000);
    const city = await orchestrate(stage, { counts: { telegram: 2 }, settings: room });
    const texts = await pushMany(city, 20);
    await expect
      .poll(async () => (await city.deliveries()).filter(({ status }) => status !== 'sent'), {
        timeout: 150_000,
      })
      .toEqual([]);
    for (const shown of Object.values(city.shown())) {
      expect(shown.toSorted()).toEqual(texts.toSorted());
    }
    expect((await city.deliveries()).every(({ attempt }) => attempt === 1)).toBe(true);
    expect(await city.actions()).not.toContain('sending_lease_expired');
  });
});

/** Kills n8n while it has sends under way; the gateway ends them and finds nobody to tell. */
async function killWhileSending(): Promise<Killed> {
  const [sending, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  stage.beforeSend = async () => {
    begun += 1;
    if (begun === 3) sending.resolve();
    await letGo.promise;
  };
  const settings = { ...room, recovery_backoff: '0 seconds' };
  const city = await orchestrate(stage, { counts: { telegram: 1 }, settings });
  const texts = await pushMany(city, 10);
  await sending.promise;
  await stage.kill();
  const held = (await city.deliveries()).filter(({ status }) => status === 'sending').length;
  expect(held).toBeGreaterThan(0);
  stage.beforeSend = async () => undefined;
  letGo.resolve();
  await expect.poll(() => shownIn(city).length).toBe(begun);
  // Ten minutes pass: the leases of the dead n8n are over, and so is its guard.
  for (const table of ['leases', 'run_guards']) {
    await stage.database.admin.query(
      `update outrider.${table} set lease_until = lease_until - interval '10 minutes'`,
    );
  }
  return { city, texts, held };
}

interface Killed {
  readonly city: Orchestrated;
  readonly texts: readonly string[];
  /** How many deliveries n8n had under way. */
  readonly held: number;
}

function shownIn(city: Orchestrated): string[] {
  return Object.values(city.shown()).flat();
}

/** Telegram cannot tell whether a post has arrived: what was under way may be shown again, and nothing else. */
async function expectAllSent({ city, texts, held }: Killed): Promise<void> {
  await expect
    .poll(async () => (await city.deliveries()).filter(({ status }) => status !== 'sent'), {
      timeout: 150_000,
    })
    .toEqual([]);
  expect(new Set(shownIn(city))).toEqual(new Set(texts));
  expect(shownIn(city).length).toBeLessThanOrEqual(texts.length + held);
}

describe('when n8n is killed in the middle of a dispatch', () => {
  it('the next n8n recovers: nothing is lost, and only what was under way may be shown again', async () => {
    const killed = await killWhileSending();
    await stage.start();
    expect((await stage.runNow('monitor')).status).toBe(200);
    await expectAllSent(killed);
    expect(await killed.city.actions()).toContain('sending_lease_expired');
  });

  it('a native dispatcher with its upkeep recovers in the same way, without n8n', async () => {
    const killed = await killWhileSending();
    const native = await stage.openNative({ pollMs: 200 });
    try {
      await native.start(['dispatch', 'upkeep']);
      await expectAllSent(killed);
      expect(await killed.city.actions()).toContain('sending_lease_expired');
    } finally {
      await native.stop();
      await stage.start();
    }
  });
});

describe('while the gateway is down', () => {
  it('nothing is sent, no attempt is used up, and everything goes out once afterwards', async () => {
    const city = await orchestrate(stage, {
      counts: { telegram: 1 },
      settings: { backoff_base: '1 second' },
    });
    await stage.stopGateway();
    try {
      await city.push({ text: 'Later' });
      await expect
        .poll(() => city.deliveries())
        .toMatchObject([{ status: 'retry', code: 'unreachable' }]);
    } finally {
      await stage.startGateway();
    }
    await expect.poll(() => city.shown()).toEqual({ 'telegram-1': ['Later'] });
    await expect.poll(() => city.deliveries()).toMatchObject([{ status: 'sent' }]);
  });
});
