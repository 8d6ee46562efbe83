// A client whose queries a test looks at, or breaks, before they are made.

import type { Queryable } from '../../../src/db/pool.ts';

/** `before` gets each query with its values as one text; what it throws is what the query throws. */
export function meddling<Client extends Queryable>(
  client: Client,
  before: (query: string) => Promise<void>,
): Client {
  return new Proxy(client, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name);
      const query = target.query.bind(target);
      return async (...args: Parameters<Queryable['query']>) => {
        await before(JSON.stringify(args));
        return query(...args);
      };
    },
  });
}
