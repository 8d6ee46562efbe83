import { describe, expect, it } from 'vitest';
import { claimOf, createSends, type IsWanted } from '../../src/gateway/sends.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

interface Outcome {
  readonly name: string;
  readonly isSent: boolean;
}

const here = new AbortController().signal;

function setUp(mostKept?: number) {
  const clock = createManualClock();
  const begun: string[] = [];
  const sends = createSends<Outcome>({ clock, mayHaveSent: ({ isSent }) => isSent, mostKept });
  const send = (name: string, isSent = true) =>
    sends.send(name, here, async () => {
      begun.push(name);
      return { name, isSent };
    });
  return { clock, sends, begun, send };
}

describe('the sends of the gateway', () => {
  it('begin once for each claim, and give the same outcome again for an hour', async () => {
    const { clock, begun, send } = setUp();
    const first = await send('a');
    expect(await send('a')).toBe(first);
    clock.advance(3_599_999);
    expect(await send('a')).toBe(first);
    expect(begun).toEqual(['a']);
  });

  it('forget an outcome after an hour, when the next one is kept', async () => {
    const { clock, begun, send } = setUp();
    await send('a');
    clock.advance(3_600_000);
    await send('b');
    await send('a');
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  it('keep no more outcomes than they may, the newest', async () => {
    const { begun, send } = setUp(2);
    for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) await send(name);
    expect(begun).toEqual(['a', 'b', 'c', 'a']);
  });

  it('keep ten thousand outcomes', async () => {
    const { begun, send } = setUp();
    for (let n = 1; n <= 10_000; n += 1) await send(`${n}`);
    await send('1');
    expect(begun).toHaveLength(10_000);
  });

  it('may be tried again if nothing was sent', async () => {
    const { begun, send } = setUp();
    await send('a', false);
    await send('a', false);
    expect(begun).toEqual(['a', 'a']);
  });

  it('may be tried again if they could not begin', async () => {
    const { sends, begun, send } = setUp();
    const away = sends.send('a', here, () => Promise.reject(new Error('away')));
    await expect(away).rejects.toThrow('away');
    await send('a');
    expect(begun).toEqual(['a']);
  });

  it('are wanted as long as one of their callers waits', async () => {
    const { sends } = setUp();
    const callers = [new AbortController(), new AbortController()];
    const ending = Promise.withResolvers<Outcome>();
    let isWanted: IsWanted = () => false;
    const outcomes = callers.map(({ signal }) =>
      sends.send('a', signal, (asked) => {
        isWanted = asked;
        return ending.promise;
      }),
    );
    callers[0]?.abort();
    expect(isWanted()).toBe(true);
    callers[1]?.abort();
    expect(isWanted()).toBe(false);
    ending.resolve({ name: 'a', isSent: true });
    expect(await Promise.all(outcomes)).toHaveLength(2);
  });
});

describe('a claim', () => {
  it('is the same, however its ids are written', () => {
    const id = '0198c0de-7d2a-7c3e-9f10-2b6f3f3c7a11';
    const claim = claimOf('city', id, id);
    expect(claimOf('city', id.toUpperCase(), `{${id}}`)).toBe(claim);
    expect(claimOf('city', id.replaceAll('-', ''), id)).toBe(claim);
    expect(claimOf('City', id, id)).not.toBe(claim);
    expect(claimOf('city', id, id.replace('1', '2'))).not.toBe(claim);
  });
});
