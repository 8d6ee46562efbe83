import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAlarm } from '../../src/alarm.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('an alarm', () => {
  it('lets one sleep for the whole time when nobody rings', async () => {
    const sleep = watched(createAlarm().sleep(1000));
    await vi.advanceTimersByTimeAsync(999);
    expect(sleep.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await sleep.done).toBe(false);
  });

  it('ends a sleep with a ring and leaves no timer behind', async () => {
    const alarm = createAlarm();
    const sleep = watched(alarm.sleep(1000));
    await vi.advanceTimersByTimeAsync(500);
    alarm.ring();
    expect(await sleep.done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('remembers a ring that came while nobody slept', async () => {
    const alarm = createAlarm();
    alarm.ring();
    expect(await alarm.sleep(1000)).toBe(true);
  });

  it('makes one ring of many', async () => {
    const alarm = createAlarm();
    for (let rings = 0; rings < 5; rings += 1) alarm.ring();
    expect(await alarm.sleep(1000)).toBe(true);
    const again = watched(alarm.sleep(1000));
    await vi.advanceTimersByTimeAsync(999);
    expect(again.ended).toBe(false);
    alarm.ring();
    alarm.ring();
    expect(await again.done).toBe(true);
    const last = alarm.sleep(10);
    await vi.advanceTimersByTimeAsync(10);
    expect(await last).toBe(false);
  });

  it('keeps a ring that comes when the time is just over for that sleep', async () => {
    const alarm = createAlarm();
    const sleep = alarm.sleep(10);
    vi.advanceTimersByTime(10);
    alarm.ring();
    expect(await sleep).toBe(true);
  });

  it('rings a sleep of no time at all only if it was rung', async () => {
    const alarm = createAlarm();
    const sleep = alarm.sleep(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(await sleep).toBe(false);
  });
});

/** A promise that can be asked whether it has come. */
function watched<T>(done: Promise<T>): { readonly done: Promise<T>; readonly ended: boolean } {
  let ended = false;
  void done.finally(() => {
    ended = true;
  });
  return {
    done,
    get ended() {
      return ended;
    },
  };
}
