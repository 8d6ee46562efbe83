import { describe, expect, it } from 'vitest';
import { Deadline } from '../../src/outbox/brokers/deadline.ts';
import { FaultError } from '../../src/outbox/brokers/faults.ts';
import { HeldConnection } from '../../src/outbox/brokers/held-connection.ts';

const never = new AbortController().signal;

/** Connections that open when they are told to, and what became of them. */
function connections(timeoutMs = 60_000, opensAtOnce = (_number: number): boolean => false) {
  const opened: { readonly id: number; isOpen: boolean }[] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  const ended: string[] = [];
  const held = new HeldConnection(
    {
      async open(signal) {
        const gate = Promise.withResolvers<void>();
        if (opensAtOnce(waiting.push(gate))) gate.resolve();
        signal.addEventListener('abort', () => gate.reject(signal.reason), { once: true });
        await gate.promise;
        const connection = { id: opened.length, isOpen: true };
        opened.push(connection);
        return connection;
      },
      isOpen: ({ isOpen }) => isOpen,
      discard: ({ id }) => void ended.push(`discarded ${id}`),
      close: async ({ id }) => void ended.push(`closed ${id}`),
    },
    timeoutMs,
  );
  const get = async (waitMs = 60_000, signal = never) => {
    using deadline = new Deadline(waitMs, signal, held.closing);
    return (await held.get(deadline)).id;
  };
  return { held, get, opened, waiting, ended };
}

describe('a held connection', () => {
  it('is opened once for all who need it', async () => {
    const { get, waiting } = connections();
    const both = Promise.all([get(), get()]);
    expect(waiting).toHaveLength(1);
    waiting[0]?.resolve();
    expect(await both).toEqual([0, 0]);
    expect(await get()).toBe(0);
  });

  it('is opened anew when it was lost, and the old one is let go', async () => {
    const { get, waiting, opened, ended } = connections();
    const first = get();
    waiting[0]?.resolve();
    await first;
    const [lost] = opened;
    if (lost !== undefined) lost.isOpen = false;
    const second = get();
    waiting[1]?.resolve();
    expect(await second).toBe(1);
    expect(ended).toEqual(['discarded 0']);
  });

  it('goes on opening for others when one of them gives up', async () => {
    const { get, waiting } = connections();
    const stop = new AbortController();
    const [impatient, patient] = [get(60_000, stop.signal), get()];
    stop.abort();
    await expect(impatient).rejects.toMatchObject({ fault: { code: 'aborted' } });
    waiting[0]?.resolve();
    expect(await patient).toBe(0);
  });

  it('tries again for one who came late to an opening that took too long', async () => {
    const { get, waiting } = connections(50, (number) => number === 2);
    const first = get();
    const second = get();
    await expect(first).rejects.toMatchObject({ fault: { code: 'timeout' } });
    expect(await second).toBe(0);
    expect(waiting).toHaveLength(2);
  });

  it('says why it could not be opened, and is opened the next time', async () => {
    const { get, waiting } = connections();
    const first = get();
    waiting[0]?.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    const second = get();
    waiting[1]?.resolve();
    expect(await second).toBe(0);
  });

  it('is closed once, also while it is being opened', async () => {
    const { held, get, waiting, ended } = connections();
    const first = get();
    waiting[0]?.resolve();
    await first;
    await Promise.all([held.close(), held.close()]);
    expect(ended).toEqual(['closed 0']);
    await expect(get()).rejects.toBeInstanceOf(FaultError);

    const opening = connections();
    const waited = opening.get();
    await opening.held.close();
    await expect(waited).rejects.toMatchObject({ fault: { code: 'closed' } });
  });
});
