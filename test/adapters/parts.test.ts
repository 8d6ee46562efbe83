import { describe, expect, it } from 'vitest';
import type { AcknowledgedPart, Part, SendMedia } from '../../src/adapters/adapter.ts';
import { sendError } from '../../src/adapters/answer.ts';
import { type PartOutcome, type PartToSend, sendParts } from '../../src/adapters/parts.ts';

const text: Part = { kind: 'text', buttons: false };
const album: Part = { kind: 'media', media: [0, 1], caption: false, buttons: false };
const medium: SendMedia = { type: 'image', caption: undefined, source: { url: '' } };
const photo: Part = { kind: 'media', media: [2], caption: true, buttons: true };

interface Walk {
  readonly parts?: readonly Part[];
  readonly media?: readonly SendMedia[];
  readonly done?: Readonly<Record<number, string>>;
  readonly outcomeUnknown?: boolean;
  readonly signal?: AbortSignal;
  sendPart?(next: PartToSend): PartOutcome;
  onPart?(part: AcknowledgedPart): void;
}

const sent = (id: string): PartOutcome => ({ ok: true, providerMessageId: id });

/** Walks a plan and keeps what happened, in its order. */
async function walk(options: Walk) {
  const log: string[] = [];
  const asked: PartToSend[] = [];
  const done = Object.entries(options.done ?? {});
  const outcome = await sendParts(
    {
      parts: options.parts ?? [text, album, photo],
      media: options.media ?? [medium, medium, medium],
      partsDone: new Map(done.map(([item, id]) => [Number(item), id])),
      outcomeUnknown: options.outcomeUnknown ?? false,
    },
    {
      signal: options.signal ?? new AbortController().signal,
      async onPart(part) {
        await Promise.resolve();
        options.onPart?.(part);
        log.push(`kept ${part.item} ${part.providerMessageId}`);
      },
    },
    async (next) => {
      await Promise.resolve();
      asked.push(next);
      log.push(`sent ${next.item}`);
      return options.sendPart?.(next) ?? sent(`m${next.item}`);
    },
  );
  return { outcome, log, asked };
}

const refused = sendError('rate_limited', 'too many requests', { retryAfterMs: 7000 });

describe('a plan of parts', () => {
  it('is sent in its order, each part kept before the next one is sent', async () => {
    const { outcome, log, asked } = await walk({});
    expect(log).toEqual(['sent 0', 'kept 0 m0', 'sent 1', 'kept 1 m1', 'sent 2']);
    expect(asked.map(({ part }) => part)).toEqual([text, album, photo]);
    expect(outcome).toEqual({
      ok: true,
      providerMessageId: 'm0',
      partsDone: [
        { item: 0, providerMessageId: 'm0' },
        { item: 1, providerMessageId: 'm1' },
        { item: 2, providerMessageId: 'm2' },
      ],
    });
  });

  it('leaves the record of its last part to the outcome', async () => {
    const { outcome, log } = await walk({ parts: [photo] });
    expect(log).toEqual(['sent 0']);
    expect(outcome).toMatchObject({ partsDone: [{ item: 0, providerMessageId: 'm0' }] });
  });

  it('goes on at the first part that was not acknowledged', async () => {
    const { outcome, log } = await walk({ done: { 0: 'old' } });
    expect(log).toEqual(['sent 1', 'kept 1 m1', 'sent 2']);
    expect(outcome).toMatchObject({ ok: true, providerMessageId: 'old' });
  });

  it('fills a gap, and reports in the order of the plan', async () => {
    const { outcome, log } = await walk({ done: { 2: 'c', 0: 'a' } });
    expect(log).toEqual(['sent 1']);
    expect(outcome).toMatchObject({
      ok: true,
      providerMessageId: 'a',
      partsDone: [{ providerMessageId: 'a' }, { providerMessageId: 'm1' }, { item: 2 }],
    });
  });

  it('that is done is a success without a call', async () => {
    const { outcome, log } = await walk({ parts: [text], done: { 0: 'old' } });
    expect(log).toEqual([]);
    expect(outcome).toMatchObject({ ok: true, providerMessageId: 'old' });
  });

  it('without parts is refused for good', async () => {
    expect((await walk({ parts: [] })).outcome).toMatchObject({
      ok: false,
      error: { category: 'PERMANENT', scope: 'delivery', code: 'unreadable_delivery' },
    });
  });

  it('that lacks media of its last part is refused before its first part is sent', async () => {
    const { outcome, log } = await walk({ media: [medium, medium] });
    expect(log).toEqual([]);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'unreadable_delivery' } });
  });

  it('ends at the first failure with what was done until then', async () => {
    const { outcome, log } = await walk({
      done: { 0: 'old' },
      sendPart: ({ item }) => (item === 2 ? { ok: false, error: refused } : sent('m1')),
    });
    expect(log).toEqual(['sent 1', 'kept 1 m1', 'sent 2']);
    expect(outcome).toEqual({
      ok: false,
      error: refused,
      partsDone: [
        { item: 0, providerMessageId: 'old' },
        { item: 1, providerMessageId: 'm1' },
      ],
    });
  });

  it('is stopped between parts by the signal', async () => {
    const stop = new AbortController();
    const { outcome, log } = await walk({ signal: stop.signal, onPart: () => stop.abort() });
    expect(log).toEqual(['sent 0', 'kept 0 m0']);
    expect(outcome).toMatchObject({
      ok: false,
      error: { category: 'TRANSIENT', scope: 'delivery', code: 'aborted' },
      partsDone: [{ item: 0, providerMessageId: 'm0' }],
    });
  });

  it('is a success when the signal comes after its last part', async () => {
    const stop = new AbortController();
    const sendPart = () => {
      stop.abort();
      return sent('m0');
    };
    const plan = { parts: [text], signal: stop.signal, sendPart };
    expect((await walk(plan)).outcome).toMatchObject({ ok: true });
  });
});

describe('a part that could not be kept', () => {
  const onPart = () => {
    throw new Error('the database is away');
  };

  it('ends the walk: nobody else may send what follows twice', async () => {
    const { outcome, log } = await walk({ onPart });
    expect(log).toEqual(['sent 0']);
    expect(outcome).toMatchObject({
      ok: false,
      error: { category: 'TRANSIENT', scope: 'delivery', code: 'progress_not_kept' },
      partsDone: [{ item: 0, providerMessageId: 'm0' }],
    });
  });

  it('does not undo the success when it was the last', async () => {
    const { outcome } = await walk({ done: { 0: 'a', 2: 'c' }, onPart });
    expect(outcome).toMatchObject({ ok: true, providerMessageId: 'a' });
  });
});

describe('an unknown outcome of an earlier attempt', () => {
  it('is a matter of the first open part only', async () => {
    const { asked } = await walk({ done: { 0: 'old' }, outcomeUnknown: true });
    expect(asked.map(({ item, mayHaveArrived }) => [item, mayHaveArrived])).toEqual([
      [1, true],
      [2, false],
    ]);
  });

  it('is not there otherwise', async () => {
    const { asked } = await walk({});
    expect(asked.map(({ mayHaveArrived }) => mayHaveArrived)).toEqual([false, false, false]);
  });
});
