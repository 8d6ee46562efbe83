// A login that may do what a consumer does, and nothing else.

import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { addressOf, type TestDatabase } from '../support/database/test-database.ts';

export interface ConsumerLogin {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Before the database is closed. */
  close(): Promise<void>;
}

export async function createConsumerLogin(database: TestDatabase): Promise<ConsumerLogin> {
  const login = `test_consumer_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  await database.admin.query(
    `create role ${login} login password '${password}' in role outrider_consumer`,
  );
  const url = addressOf(database.url, database.name, login, password);
  const pool = openPool({ url, applicationName: 'outrider test consumer', max: 10 });
  return {
    url,
    pool,
    async close() {
      await pool.end();
      await database.admin.query(`drop owned by ${login}`);
      await database.admin.query(`drop role ${login}`);
    },
  };
}
