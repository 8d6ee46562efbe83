import { describe, expect, it } from 'vitest';
import type { Answer, Queryable } from '../../src/db/pool.ts';
import { createKnownEndpoints } from '../../src/ingest/known-endpoints.ts';

/** A database that answers when it is told to. */
class SlowDatabase implements Queryable {
  asked = 0;
  readonly #answers: ((answer: Answer) => void)[] = [];

  query(): Promise<Answer> {
    this.asked += 1;
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  answer(...workspaceIds: readonly string[]): void {
    const rows = workspaceIds.map((id) => ({
      workspace_id: id,
      endpoint_id: 'push',
      auth_ref: null,
      max_payload_bytes: 65_536,
      signing_secret_ref: null,
    }));
    this.#answers.shift()?.({ rows });
  }
}

const turns = { atOnce: 2, waitMs: 600_000 };

describe('a secret', () => {
  it('is asked for once, if it is good', async () => {
    const database = new SlowDatabase();
    const endpoints = createKnownEndpoints(database, turns);
    const first = endpoints.workspaceOf('a');
    await expect.poll(() => database.asked).toBe(1);
    database.answer('shop');
    expect(await first).toBe('shop');
    expect(await endpoints.workspaceOf('a')).toBe('shop');
    expect(database.asked).toBe(1);
  });

  it('is asked for each time, if it is not, and after it was forgotten', async () => {
    const database = new SlowDatabase();
    const endpoints = createKnownEndpoints(database, turns);
    for (const [asked, found] of [[1], [2], [3, 'shop'], [4]] as const) {
      const answer = endpoints.workspaceOf('a');
      await expect.poll(() => database.asked).toBe(asked);
      database.answer(...(found === undefined ? [] : [found]));
      expect(await answer).toBe(found);
      endpoints.forget('a');
    }
  });

  it('of a stranger waits for those of other strangers, and not that of a known one', async () => {
    const database = new SlowDatabase();
    const endpoints = createKnownEndpoints(database, turns);
    const known = endpoints.workspaceOf('known');
    await expect.poll(() => database.asked).toBe(1);
    database.answer('shop');
    await known;
    const strangers = ['b', 'c', 'd'].map((each) => endpoints.workspaceOf(each));
    await expect.poll(() => database.asked).toBe(3);
    expect(await endpoints.workspaceOf('known')).toBe('shop');
    expect(database.asked).toBe(3);
    for (let n = 0; n < 2; n += 1) database.answer();
    await expect.poll(() => database.asked).toBe(4);
    database.answer();
    expect(await Promise.all(strangers)).toEqual([undefined, undefined, undefined]);
  });
});
