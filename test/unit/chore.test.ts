import { expect, it } from 'vitest';
import { startChore } from '../../src/chore.ts';
import { systemClock } from '../../src/clock.ts';
import { silentLog } from '../../src/log.ts';

it('a chore that is stopped tells its turn so, and cuts the rest of the turn short', async () => {
  const begun = Promise.withResolvers<void>();
  let steps = 0;
  const chore = startChore({
    log: silentLog,
    clock: systemClock,
    words: { failed: 'failed', over: 'over' },
    everyMs: 3_600_000,
    retryMs: 3_600_000,
    async turn({ isOver, rest }) {
      while (!isOver()) {
        steps += 1;
        begun.resolve();
        await rest(3_600_000);
      }
    },
  });
  await begun.promise;
  await chore.stop();
  expect([steps, chore.failures()]).toEqual([1, 0]);
});
