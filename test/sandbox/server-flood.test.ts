import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { movableClock } from '../../sandbox/clock.ts';
import { createFloodControl } from '../../sandbox/flood.ts';

describe('flood control', () => {
  it('lets a burst pass and then says how long to wait', () => {
    const clock = movableClock(0);
    const flood = createFloodControl(clock);
    const window = { key: 'chat', calls: 3, ms: 3000 };
    clock.advance(100);
    const waits = [0, 0, 0, 0].map(() => {
      clock.advance(10);
      return flood.take([window]);
    });
    expect(waits).toEqual([0, 0, 0, 2970]);
    clock.advance(2970);
    expect([flood.take([window]), flood.take([window])]).toEqual([0, 10]);
  });

  it('keeps keys apart, and counts a refused call in none of its windows', () => {
    const flood = createFloodControl(movableClock(0));
    const bot = { key: 'bot', calls: 2, ms: 1000 };
    const chat = (key: string) => ({ key, calls: 1, ms: 1000 });
    expect(flood.take([chat('a'), bot])).toBe(0);
    expect(flood.take([chat('a'), bot])).toBe(1000);
    expect(flood.take([chat('b'), bot])).toBe(0);
    expect(flood.take([chat('c'), bot])).toBe(1000);
  });

  it('counts a weight as so many calls, and lets more than the window holds pass when it is empty', () => {
    const clock = movableClock(0);
    const flood = createFloodControl(clock);
    const window = { key: 'chat', calls: 3, ms: 1000 };
    expect(flood.take([window], 2)).toBe(0);
    expect(flood.take([window], 2)).toBe(1000);
    expect(flood.take([window], 1)).toBe(0);
    clock.advance(1000);
    expect(flood.take([window], 10)).toBe(0);
    expect(flood.take([window])).toBe(1000);
  });

  it('forgets when cleared', () => {
    const flood = createFloodControl(movableClock(0));
    const window = { key: 'chat', calls: 1, ms: 1000 };
    flood.take([window]);
    flood.clear();
    expect(flood.take([window])).toBe(0);
  });

  it('never passes more than the window holds, and always after the wait that it named', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        (steps, calls) => {
          const clock = movableClock(0);
          const flood = createFloodControl(clock);
          const window = { key: 'k', calls, ms: 1000 };
          const passed: number[] = [];
          for (const step of steps) {
            clock.advance(step);
            const wait = flood.take([window]);
            clock.advance(wait);
            const again = wait > 0 ? flood.take([window]) : 0;
            expect(again).toBe(0);
            passed.push(clock.now());
          }
          for (const end of passed) {
            const within = passed.filter((at) => at > end - 1000 && at <= end);
            expect(within.length).toBeLessThanOrEqual(calls);
          }
        },
      ),
    );
  });
});
