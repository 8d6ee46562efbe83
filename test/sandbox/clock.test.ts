import { describe, expect, it } from 'vitest';
import { runningClock } from '../../sandbox/clock.ts';

describe('a clock that runs', () => {
  it('shows the time of the machine until it is moved, and then that much more', () => {
    const clock = runningClock();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(3_600_000);
    clock.advance(24 * 3_600_000);
    expect(Math.abs(clock.now() - Date.now() - 24 * 3_600_000)).toBeLessThan(3_600_000);
  });

  it('runs what comes due on the way, in its order, and what that puts off in turn', () => {
    const clock = runningClock();
    const ran: string[] = [];
    clock.later(7_200_000, () => ran.push('second'));
    clock.later(3_600_000, () => {
      ran.push('first');
      clock.later(5_400_000, () => ran.push('third'));
    });
    clock.later(90 * 3_600_000, () => ran.push('much later'));
    const cancel = clock.later(1000, () => ran.push('cancelled'));
    cancel();
    clock.advance(10 * 3_600_000);
    expect(ran).toEqual(['first', 'second', 'third']);
  });

  it('does nothing twice: what was due has left the timers', async () => {
    const clock = runningClock();
    let ran = 0;
    const done = Promise.withResolvers<void>();
    clock.later(1, () => {
      ran += 1;
    });
    clock.advance(5);
    clock.later(2, done.resolve);
    await done.promise;
    expect(ran).toBe(1);
  });
});
