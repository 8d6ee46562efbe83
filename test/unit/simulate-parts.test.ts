import { describe, expect, it } from 'vitest';
import { chanceOf } from '../../src/simulate/chance.ts';
import { durationsFrom } from '../../src/simulate/durations.ts';
import { createEventQueue } from '../../src/simulate/event-queue.ts';
import { chanceFaults } from '../../src/simulate/faults.ts';
import { createPlaces } from '../../src/simulate/places.ts';

const calls = Array.from({ length: 20_000 }, (_, call) => ({ channelId: 'news', call }));

describe('events', () => {
  it('come in order of time, and those of the same time in the order in which they were added', () => {
    const queue = createEventQueue<string>();
    const times = [5, 3, 9, 3, 1, 7, 3, 1];
    for (const [n, at] of times.entries()) queue.add(at, `${at} ${n}`);
    expect(queue.nextAt()).toBe(1);
    expect(queue.takeUntil(5).map(({ event }) => event)).toEqual([
      '1 4',
      '1 7',
      '3 1',
      '3 3',
      '3 6',
      '5 0',
    ]);
    expect(queue.takeFirst()?.event).toBe('7 5');
    expect(queue.takeUntil(100).map(({ event }) => event)).toEqual(['9 2']);
    expect(queue.nextAt()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('places', () => {
  it('are taken by whoever comes until they are used up, then when the first becomes free', () => {
    const places = createPlaces(2);
    expect([places.take(), places.take()]).toEqual([
      Number.NEGATIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
    places.give(40);
    places.give(30);
    expect([places.take(), places.take()]).toEqual([30, 40]);
  });
});

describe('chance', () => {
  it('strikes as many calls as the rates say, each call the same way every time', () => {
    const faultsOf = chanceFaults({ '429': 0.02, timeout: 0.01 });
    const struck = Object.groupBy(calls, (call) => faultsOf(call) ?? 'none');
    expect((struck['429']?.length ?? 0) / calls.length).toBeCloseTo(0.02, 2);
    expect((struck['timeout']?.length ?? 0) / calls.length).toBeCloseTo(0.01, 2);
    expect(calls.map(faultsOf)).toEqual(calls.map(chanceFaults({ '429': 0.02, timeout: 0.01 })));
  });

  it('is spread evenly', () => {
    const tenths = Object.groupBy(calls, (call) => Math.floor(chanceOf('seed', call) * 10));
    const sizes = Object.values(tenths).map((each) => (each?.length ?? 0) / calls.length);
    expect(sizes).toHaveLength(10);
    for (const size of sizes) expect(size).toBeCloseTo(0.1, 1);
  });
});

describe('how long a call takes', () => {
  const quantilesMs = [100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 1000];
  const measured = [{ platform: 'telegram', sends: 40, quantilesMs }];
  const common = { given: new Map<string, number>(), otherwiseMs: 300 };

  it('follows what was measured', () => {
    const durationOf = durationsFrom({ ...common, measured });
    const times = calls.map((call) => durationOf('telegram', call)).toSorted((a, b) => a - b);
    expect(times[0]).toBeGreaterThanOrEqual(100);
    expect(times[calls.length / 2]).toBeGreaterThan(145);
    expect(times[calls.length / 2]).toBeLessThan(155);
    expect(times.at(-1)).toBeLessThanOrEqual(1000);
  });

  it('is what the command line says, and a guess where little was measured', () => {
    const [call = { channelId: '', call: 0 }] = calls;
    const few = [{ platform: 'telegram', sends: 3, quantilesMs }];
    expect(durationsFrom({ ...common, measured: few })('telegram', call)).toBe(300);
    const given = new Map([['telegram', 77]]);
    expect(durationsFrom({ ...common, given, measured })('telegram', call)).toBe(77);
  });
});
