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
  it('is looked up once when an endpoint has it', async () => {
    const database = new SlowDatabase();
    const endpoints = createKnownEndpoints(database, turns);
    const first = endpoints.workspaceOf('a');
    await expect.poll(() => database.asked).toBe(1);
    database.answer('shop');
    expect(await first).toBe('shop');
    expect(await endpoints.workspaceOf('a')).toBe('shop');
    expect(database.asked).toBe(1);
  });

  it('is looked up each time while no endpoint has it', async () => {
    const database = new SlowDatabase();
    const endpoints = createKnownEndpoints(database, turns);
    for (const [asked, found] of [[1], [2], [3, 'shop']] as const) {
      const answer = endpoints.workspaceOf('a');
      await expect.poll(() => database.asked).toBe(asked);
      database.answer(...(found === undefined ? [] : [found]));
      expect(await answer).toBe(found);
    }
  });

  it('is looked up again after it was forgotten', async () => {
    const database = new SlowDatabase();
    const endpoints = createKnownEndpoints(database, turns);
    for (const asked of [1, 2]) {
      const answer = endpoints.workspaceOf('a');
      await expect.poll(() => database.asked).toBe(asked);
      database.answer('shop');
      expect(await answer).toBe('shop');
      endpoints.forget('a');
    }
  });

  it('that is unknown waits until few others are looked up; one that is known does not wait', async () => {
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
