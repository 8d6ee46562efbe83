import { describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/db/pool.ts';
import { createTelling } from '../../src/gateway/tell.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

const claimed = {
  workspaceId: 'city',
  notificationId: '0198c0de-7d2a-7c3e-9f10-2b6f3f3c7a13',
  alertTargetId: 'pager',
  claimToken: '0198c0de-7d2a-7c3e-9f10-2b6f3f3c7a14',
  address: {
    kind: 'log' as const,
    targetId: null,
    authRef: null,
    secretRef: null,
    platform: null,
    rateGroup: null,
    url: null,
    recipients: null,
  },
  subject: 'One channel is disabled',
  body: 'The channel news is disabled.',
  changes: [],
  createdAt: new Date('2026-03-02T10:00:00.000Z'),
};

/** A gateway whose database holds every message, when the test lets it answer. */
function setUp() {
  const answered = Promise.withResolvers<void>();
  const told: string[] = [];
  const client: Queryable = {
    query: async () => {
      await answered.promise;
      return { rows: [{ hold_notification: true }] };
    },
  };
  const telling = createTelling({
    client,
    clock: createManualClock(),
    tell: async ({ subject }) => {
      told.push(subject);
      return { ok: true, said: 'told' };
    },
  });
  const { signal: halted } = new AbortController();
  const ask = (gone: AbortSignal) => telling.tell(claimed, { gone, halted });
  return { answered, told, ask };
}

describe('a message about alerts whose caller goes away before it is told', () => {
  it('is not told, and may come again', async () => {
    const { answered, told, ask } = setUp();
    const leaving = new AbortController();
    const first = ask(leaving.signal);
    leaving.abort();
    answered.resolve();
    expect((await first).body).toMatchObject({ error: 'the caller has gone' });
    expect(told).toEqual([]);
    expect((await ask(new AbortController().signal)).body).toMatchObject({ error: null });
    expect(told).toEqual([claimed.subject]);
  });

  it('is told if somebody else waits for it', async () => {
    const { answered, told, ask } = setUp();
    const leaving = new AbortController();
    const first = ask(leaving.signal);
    const second = ask(new AbortController().signal);
    leaving.abort();
    answered.resolve();
    expect([(await first).body, (await second).body]).toMatchObject([
      { error: null },
      { error: null },
    ]);
    expect(told).toEqual([claimed.subject]);
  });
});
