import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createDrawings } from '../../src/status/drawings.ts';
import { createLive } from '../../src/status/live.ts';
import type { View } from '../../src/status/pages/links.ts';
import type { Seen } from '../../src/status/pages/overview.ts';
import { spanOf } from '../../src/status/span.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

const view: View = { workspaceId: 'city', span: spanOf(undefined), all: false };
// oxlint-disable-next-line no-unsafe-type-assertion -- nothing here looks into a reading
const seenOf = (words: string): Seen => ({ reading: { words } as never, trouble: undefined });
// oxlint-disable-next-line no-unsafe-type-assertion -- as above
const wordsOf = ({ reading }: Seen): string => (reading as unknown as { words: string }).words;

function setUp() {
  let drawn = 0;
  const drawings = createDrawings((seen) => {
    drawn += 1;
    return [{ id: 'queue', before: wordsOf(seen), rows: [], after: '' }];
  });
  const followers = new Set<(seen: Seen) => void>();
  const first = seenOf('first');
  const clock = createManualClock();
  let isAdmitted = true;
  const live = createLive({
    readings: {
      latest: async () => first,
      follow(_asked, onSeen) {
        followers.add(onSeen);
        return () => followers.delete(onSeen);
      },
      stop: () => undefined,
    },
    drawings,
    clock,
    most: 100,
    stopping: new AbortController().signal,
  });
  return {
    clock,
    drawn: () => drawn,
    tell: (seen: Seen) => followers.forEach((each) => each(seen)),
    refuse: () => (isAdmitted = false),
    /** A browser that reads nothing: whatever it is sent stays here. */
    look: async () => {
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      const errors: unknown[] = [];
      response.on('error', (error) => errors.push(error));
      live.show({ response, view, version: undefined, isAdmitted: async () => isAdmitted });
      await expect.poll(() => response.writableLength).toBeGreaterThan(0);
      return { response, errors };
    },
  };
}

describe('a page that many look at', () => {
  it('is drawn once for all of them', async () => {
    const { look, tell, drawn } = setUp();
    const viewers = await Promise.all(Array.from({ length: 20 }, look));
    const before = viewers.map(({ response }) => response.writableLength);
    tell(seenOf('second'));
    expect(viewers.every(({ response }, n) => response.writableLength > (before[n] ?? 0))).toBe(
      true,
    );
    expect(drawn()).toBe(2);
  });
});

describe('a browser that reads slowly', () => {
  it('is sent nothing more when its stream is over', async () => {
    const { look, tell, refuse, clock } = setUp();
    const { response, errors } = await look();
    refuse();
    clock.advance(15_000);
    await expect.poll(() => response.writableEnded).toBe(true);
    tell(seenOf('second'));
    await new Promise(setImmediate);
    expect(errors).toEqual([]);
  });
});
