import { describe, expect, it, vi } from 'vitest';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { observedDeliver } from '../../src/dispatch/observed-deliver.ts';
import { observedBy, unobserved } from '../../src/observer.ts';

const facts = { startedAt: 1, platform: 'max', result: 'sent' } as const;

describe('an observer', () => {
  it('that nobody listens to is one constant, does nothing and reads no clock', () => {
    const observer = observedBy([]);
    expect(observer).toBe(unobserved);
    expect(Object.isFrozen(observer)).toBe(true);
    expect(observer.isOn).toBe(false);
    const clock = vi.spyOn(performance, 'now');
    expect(observer.now()).toBe(0);
    expect(observer.send(facts)).toBeUndefined();
    expect(clock).not.toHaveBeenCalled();
    clock.mockRestore();
  });

  it('that nobody listens to leaves a send as it is', () => {
    const deliver = vi.fn<Deliver>();
    expect(observedDeliver(deliver, unobserved)).toBe(deliver);
  });

  it('tells everybody who listens, of what they listen to', () => {
    const heard: unknown[] = [];
    const observer = observedBy([
      { send: (given) => void heard.push(['one', given]) },
      { claim: (given) => void heard.push(['two', given]) },
      { send: (given) => void heard.push(['three', given]) },
    ]);
    observer.send(facts);
    observer.sendStarted();
    expect(heard).toEqual([
      ['one', facts],
      ['three', facts],
    ]);
  });
});
