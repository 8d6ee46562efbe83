import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { silentLog } from '../../src/log.ts';
import { startLooking } from '../../src/looking.ts';

const away = new Error('the database is away');

describe('a loop that looks for work', () => {
  it('looks at once, and again when it is rung', async () => {
    let looks = 0;
    const looking = startLooking({
      log: silentLog,
      clock: systemClock,
      whatFor: 'work',
      look: async () => {
        looks += 1;
        return 60_000;
      },
    });
    await expect.poll(() => looks).toBe(1);
    looking.ring();
    await expect.poll(() => looks).toBe(2);
    await looking.stop();
    expect(looking.isStopping()).toBe(true);
  });

  it('goes on after a look that failed, tells the log of the first one, and is ready when one succeeds', async () => {
    const warnings: unknown[][] = [];
    const looks = [Promise.reject(away), Promise.reject(away), Promise.resolve(60_000)];
    for (const each of looks) each.catch(() => undefined);
    const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) };
    const failed = Promise.withResolvers<void>();
    const looking = startLooking({
      log,
      clock: systemClock,
      whatFor: 'work',
      look: async () => {
        if (looks.length === 1) await failed.promise;
        return looks.shift() ?? 60_000;
      },
    });
    await expect.poll(() => looks.length).toBe(1);
    expect(looking.isFailing()).toBe(true);
    expect(looking.health()).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^has not been able to look for work for \d+ ms$/),
    });
    failed.resolve();
    await expect.poll(() => looking.health()).toEqual({ ok: true });
    expect(warnings).toEqual([
      ['the database cannot be asked for work', { error: 'Error: the database is away' }],
    ]);
    await looking.stop();
  });

  it('is not ready when no look has ended for 15 s', async () => {
    let now = 0;
    const asked = Promise.withResolvers<number>();
    const looking = startLooking({
      log: silentLog,
      clock: { ...systemClock, now: () => now },
      whatFor: 'work',
      look: () => asked.promise,
    });
    now = 14_999;
    expect(looking.health()).toEqual({ ok: true });
    now = 15_000;
    expect(looking.health()).toMatchObject({ ok: false });
    asked.resolve(0);
    await looking.stop();
  });
});
