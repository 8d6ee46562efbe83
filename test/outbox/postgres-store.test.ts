import { afterAll, beforeAll, describe } from 'vitest';
import { createPostgresStore, openPostgresStore } from '../../src/outbox/idempotency/postgres.ts';
import { after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { startTcpProxy } from '../support/http/tcp-proxy.ts';
import { type ConsumerLogin, createConsumerLogin } from './consumer-login.ts';
import { conformsToIdempotencyStore } from './idempotency-conformance.ts';
import type { StoreHarness } from './idempotency-harness.ts';

const database = await useDatabase();
let consumer: ConsumerLogin;

beforeAll(async () => {
  consumer = await createConsumerLogin(database);
});

afterAll(() => consumer.close());

const harness: StoreHarness = {
  open() {
    let seconds = 0;
    return {
      store: createPostgresStore(consumer.pool, { now: () => after(seconds) }),
      async pass(_event, ms) {
        seconds += ms / 1000;
      },
    };
  },
  async openWired() {
    const wire = await startTcpProxy(consumer.url);
    const store = openPostgresStore({ url: wire.url, timeoutMs: 2000 });
    return {
      store,
      wire,
      async close() {
        wire.close();
        await store.close();
      },
    };
  },
};

describe('the store in PostgreSQL', () => {
  conformsToIdempotencyStore(() => harness);
});
