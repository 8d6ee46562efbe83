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
  /** What n8n had under way, as channel and text. */
  readonly held: ReadonlySet<string>;
}

/** Kills n8n when the platforms show a whole claim of it, and before it has heard of that. */
async function killWhileSending(): Promise<Killed> {
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
  const city = await orchestrate(stage, { counts: { telegram: 1, max: 1 }, settings });
  const texts = textsOf(15);
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
  return { city, texts, held: new Set(sending.map((each) => `${each.channel_id} ${each.text}`)) };
}

/** MAX is asked whether a post has arrived. Telegram cannot say: what was under way may be sent again there. */
async function expectAllSent({ city, texts, held }: Killed): Promise<void> {
  await untilAllAreSent(city);
  const { 'max-1': onMax = [], 'telegram-1': onTelegram = [] } = city.shown();
  expect(onMax.toSorted()).toEqual(texts.toSorted());
  expect(new Set(onTelegram)).toEqual(new Set(texts));
  const repeated = onTelegram.filter((text, n) => onTelegram.indexOf(text) !== n);
  expect(repeated.filter((text) => !held.has(`telegram-1 ${text}`))).toEqual([]);
  expect(new Set(repeated).size).toBe(repeated.length);
}

describe('when n8n is killed in the middle of a dispatch', () => {
  it('the next n8n recovers: nothing is lost, and only what was under way on Telegram may be shown again', async () => {
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
