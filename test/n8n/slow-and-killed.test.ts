import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { useN8n } from '../support/fixtures/n8n.ts';
import { type Orchestrated, orchestrate } from '../support/n8n/orchestrated.ts';

const stage = await useN8n();

afterEach(() => {
  stage.aroundSend = (send) => send();
});

const room = { claim_per_channel: 20 };
const fullClaim = 20;

function textsOf(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `Post ${n + 1}`);
}

async function untilAllAreSent(city: Orchestrated): Promise<void> {
  await expect
    .poll(async () => (await city.deliveries()).filter(({ status }) => status !== 'sent'))
    .toEqual([]);
}

describe('a platform that takes two seconds', () => {
  it('gets a full claim without a stale commit, and nothing twice', async () => {
    let under = 0;
    let most = 0;
    stage.aroundSend = async (send) => {
      under += 1;
      most = Math.max(most, under);
      await delay(2000);
      under -= 1;
      return send();
    };
    const city = await orchestrate(stage, { counts: { telegram: 2 }, settings: room });
    const texts = textsOf(20);
    await city.enqueue(texts);
    await untilAllAreSent(city);
    expect(most).toBeGreaterThanOrEqual(fullClaim);
    for (const shown of Object.values(city.shown())) {
      expect(shown.toSorted()).toEqual(texts.toSorted());
    }
    // A commit that came too late would have left its delivery to a second attempt.
    expect((await city.deliveries()).map(({ attempt }) => attempt)).toEqual(Array(40).fill(1));
    expect(await city.actions()).not.toContain('sending_lease_expired');
  });
});

interface Killed {
  readonly city: Orchestrated;
  readonly texts: readonly string[];
  /** The texts that n8n had under way. */
  readonly held: readonly string[];
}

/** Kills n8n when the platform shows a whole claim of it, and before it has heard of that. */
async function killWhileSending(platform: 'telegram' | 'max'): Promise<Killed> {
  const [shown, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  onTestFinished(() => letGo.resolve());
  let ended = 0;
  stage.aroundSend = async (send) => {
    const outcome = await send();
    ended += 1;
    if (ended === fullClaim) shown.resolve();
    await letGo.promise;
    return outcome;
  };
  const settings = { ...room, recovery_backoff: '0 seconds' };
  const city = await orchestrate(stage, { counts: { [platform]: 1 }, settings });
  const texts = textsOf(30);
  await city.enqueue(texts);
  await shown.promise;
  await stage.kill();
  const sending = (await city.deliveries()).filter(({ status }) => status === 'sending');
  expect(sending.length).toBeGreaterThanOrEqual(fullClaim);
  stage.aroundSend = (send) => send();
  letGo.resolve();
  // A gateway that stops ends its sends first: none extends its lease any more.
  await stage.stopGateway();
  await stage.startGateway();
  // Ten minutes pass: the leases of the dead n8n are over, and so is its guard.
  for (const table of ['leases', 'run_guards']) {
    await stage.database.admin.query(
      `update outrider.${table} set lease_until = lease_until - interval '10 minutes'`,
    );
  }
  return { city, texts, held: sending.map(({ text }) => text) };
}

describe('when n8n is killed in the middle of a dispatch', () => {
  it('the next n8n recovers: Telegram shows everything, and nothing twice but what was under way', async () => {
    const { city, texts, held } = await killWhileSending('telegram');
    await stage.start();
    expect((await stage.runNow('monitor')).status).toBe(200);
    await untilAllAreSent(city);
    const { 'telegram-1': shown = [] } = city.shown();
    expect(new Set(shown)).toEqual(new Set(texts));
    // Telegram cannot say whether a post has arrived.
    const repeated = shown.filter((text, n) => shown.indexOf(text) !== n);
    expect(new Set(repeated).size).toBe(repeated.length);
    expect(held).toEqual(expect.arrayContaining(repeated));
    expect(await city.actions()).toContain('sending_lease_expired');
  });

  it('a native dispatcher with its upkeep recovers without n8n: MAX shows everything once', async () => {
    const { city, texts } = await killWhileSending('max');
    const native = await stage.openNative({ intervals: { pollMs: 200 } });
    try {
      await native.start(['dispatch', 'upkeep']);
      await untilAllAreSent(city);
    } finally {
      await native.stop();
      await stage.start();
    }
    // MAX is asked whether a post has arrived.
    expect(city.shown()['max-1']?.toSorted()).toEqual(texts.toSorted());
    expect(await city.actions()).toContain('sending_lease_expired');
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
        .toMatchObject([{ status: 'retry', code: 'unreachable', attempts_left: 5 }]);
      expect(city.shown()).toEqual({ 'telegram-1': [] });
    } finally {
      await stage.startGateway();
    }
    await expect.poll(() => city.shown()).toEqual({ 'telegram-1': ['Later'] });
    await expect
      .poll(() => city.deliveries())
      .toMatchObject([{ status: 'sent', attempts_left: 4 }]);
  });
});
