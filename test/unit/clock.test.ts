import { describe, expect, it } from 'vitest';
import { createClock } from '../../src/clock.ts';

/** A machine with a monotonic clock and one on the wall, both moved by hand. */
function machine() {
  let monotonic = 5000;
  let wall = Date.parse('2026-03-02T10:00:00Z');
  const clock = createClock(
    () => monotonic,
    () => wall,
  );
  const begun = clock.now();
  return {
    run: (ms: number): void => {
      monotonic += ms;
      wall += ms;
    },
    sleep: (ms: number): void => {
      wall += ms;
    },
    setWall: (ms: number): void => {
      wall += ms;
    },
    passed: (): number => clock.now() - begun,
  };
}

describe('the clock of a process', () => {
  it('counts what passes while the process runs or is stopped', () => {
    const { run, passed } = machine();
    run(250);
    expect(passed()).toBe(250);
    run(3_600_000);
    expect(passed()).toBe(3_600_250);
  });

  it('counts what passes while the machine sleeps', () => {
    const { run, sleep, passed } = machine();
    run(100);
    sleep(60_000);
    run(100);
    expect(passed()).toBe(60_200);
    run(100);
    expect(passed()).toBe(60_300);
  });

  it('is not set back with the one on the wall', () => {
    const { run, setWall, passed } = machine();
    run(100);
    expect(passed()).toBe(100);
    setWall(-3_600_000);
    expect(passed()).toBe(100);
    run(100);
    expect(passed()).toBe(200);
  });

  it('runs ahead with one on the wall that is set ahead, but not with one that is corrected', () => {
    const { run, setWall, passed } = machine();
    for (let n = 0; n < 10; n += 1) {
      run(100);
      setWall(900);
      expect(passed()).toBe(100 * (n + 1));
    }
    setWall(3_600_000);
    expect(passed()).toBe(3_601_000);
  });
});
