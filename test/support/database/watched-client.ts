import type pg from 'pg';
import type { Answer, Queryable } from '../../../src/db/pool.ts';

/** A call of one of our functions: its arguments, and whether it was answered. */
export interface WatchedCall {
  readonly name: string;
  readonly args: readonly unknown[];
  ended: 'not yet' | 'answered' | 'failed';
}

/** Passes queries on unchanged, and keeps a list of the calls of our functions. */
export class WatchedClient implements Queryable {
  readonly calls: WatchedCall[] = [];
  readonly #client: Queryable;
  readonly #onEnd: (call: WatchedCall) => void;

  constructor(client: Queryable, onEnd: (call: WatchedCall) => void = () => undefined) {
    this.#client = client;
    this.#onEnd = onEnd;
  }

  callsOf(name: string): WatchedCall[] {
    return this.calls.filter((call) => call.name === name);
  }

  query(text: string, values?: unknown[]): Promise<Answer>;
  query(config: pg.QueryConfig<unknown[]>): Promise<Answer>;
  async query(query: string | pg.QueryConfig<unknown[]>, values?: unknown[]): Promise<Answer> {
    if (typeof query === 'string') return this.#client.query(query, values);
    const [name = ''] = query.name?.split('/') ?? [];
    const call: WatchedCall = { name, args: query.values ?? [], ended: 'not yet' };
    this.calls.push(call);
    try {
      const answer = await this.#client.query(query);
      call.ended = 'answered';
      return answer;
    } catch (error) {
      call.ended = 'failed';
      throw error;
    } finally {
      this.#onEnd(call);
    }
  }
}
