import { describe, expect, it } from 'vitest';
import type { Answer, Queryable } from '../../src/db/pool.ts';
import { NoTurnError, takingTurns } from '../../src/db/turns.ts';

/** What would be a pool: each query is under way until it is let go. */
class HeldQueries implements Queryable {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<Answer>>();

  query(query: unknown): Promise<Answer> {
    const name = String(query);
    const end = Promise.withResolvers<Answer>();
    this.begun.push(name);
    this.#ends.set(name, end);
    return end.promise;
  }

  answer(name: string): void {
    this.#ends.get(name)?.resolve({ rows: [name] });
  }

  fail(name: string): void {
    this.#ends.get(name)?.reject(new Error(name));
  }
}

const patient = { atOnce: 2, waitMs: 600_000 };

describe('queries that take turns', () => {
  it('are under way a few at a time, in the order in which they came', async () => {
    const held = new HeldQueries();
    const client = takingTurns(held, patient);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => client.query(name));
    await Promise.resolve();
    expect(held.begun).toEqual(['a', 'b']);
    held.answer('b');
    expect(await b).toEqual({ rows: ['b'] });
    await expect.poll(() => held.begun).toEqual(['a', 'b', 'c']);
    held.answer('a');
    held.answer('c');
    await Promise.all([a, c]);
    await expect.poll(() => held.begun).toEqual(['a', 'b', 'c', 'd']);
    held.answer('d');
    await d;
  });

  it('leave their place when they fail', async () => {
    const held = new HeldQueries();
    const client = takingTurns(held, { ...patient, atOnce: 1 });
    const a = client.query('a');
    const b = client.query('b');
    await expect.poll(() => held.begun).toEqual(['a']);
    held.fail('a');
    await expect(a).rejects.toThrow('a');
    await expect.poll(() => held.begun).toEqual(['a', 'b']);
    held.answer('b');
    await b;
    const c = client.query('c');
    await expect.poll(() => held.begun).toEqual(['a', 'b', 'c']);
    held.answer('c');
    await c;
  });

  it('are given up that never get one, and leave nothing behind', async () => {
    const held = new HeldQueries();
    const client = takingTurns(held, { atOnce: 1, waitMs: 10 });
    const a = client.query('a');
    await expect(client.query('b')).rejects.toBeInstanceOf(NoTurnError);
    held.answer('a');
    await a;
    const c = client.query('c');
    await expect.poll(() => held.begun).toEqual(['a', 'c']);
    held.answer('c');
    await c;
  });
});
