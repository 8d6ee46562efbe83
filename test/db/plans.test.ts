import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../../src/db/call.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { meter, type Reading } from '../support/meter.ts';
import { addBacklog, addChannel, addWorkspace, after, start } from '../support/seed.ts';

let database: TestDatabase;
/** One connection for all: its plans are made while the tables are empty, and kept. */
let worker: pg.PoolClient;

beforeAll(async () => {
  database = await openDatabase();
  // No statistics, and none that autovacuum would gather meanwhile.
  await database.admin.query(`
    do $$ declare v_table regclass; begin
      for v_table in select oid::regclass from pg_class
        where relnamespace = 'outrider'::regnamespace and relkind = 'r'
      loop execute format('alter table %s set (autovacuum_enabled = off)', v_table); end loop;
    end $$`);
  worker = await database.service.connect();
});

afterAll(async () => {
  worker.release();
  await database.close();
});

const channels = ['c1', 'c2', 'c3', 'c4'];

async function workspaceWithChannels(workspaceId: string): Promise<void> {
  await addWorkspace(database.admin, workspaceId, { claim_per_channel: 1000 });
  for (const id of channels) {
    await addChannel(database.admin, workspaceId, id, { max_parallel: 1000 });
  }
}

function claim(workspaceId: string, limit = 400): Promise<Reading> {
  const text = 'select * from outrider.claim_deliveries($1, $2, $3, $4)';
  return meter(worker, text, [workspaceId, 'run', limit, start]);
}

/** Commits everything that is being sent. */
async function commit(workspaceId: string): Promise<Reading> {
  const { rows } = await database.admin.query<{ delivery_id: string; claim_token: string }>(
    `select d.delivery_id, d.claim_token
     from outrider.leases l join outrider.deliveries d
       on d.workspace_id = l.workspace_id and d.delivery_id = any (l.delivery_ids) and d.status = 'sending'
     where l.workspace_id = $1`,
    [workspaceId],
  );
  const outcomes = rows.map((row) => ({ ...row, ok: true, provider_message_id: '1' }));
  const text = 'select * from outrider.commit_outcomes($1, $2, $3)';
  return await meter(worker, text, [workspaceId, json(outcomes), start]);
}

async function round(
  workspaceId: string,
  messages: number,
): Promise<{ claimed: Reading; committed: Reading }> {
  await addBacklog(database.admin, workspaceId, channels, messages);
  return { claimed: await claim(workspaceId), committed: await commit(workspaceId) };
}

const text200k = `
  insert into outrider.deliveries
    (workspace_id, delivery_id, status, attempt, attempt_limit, not_before, updated_at, created_at, sent_at, provider_message_id, message_id,
     channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text)
  select $1, gen_random_uuid(), 'sent', 1, 5, $2, $2, $2, $2, '1', gen_random_uuid(), 'c' || (1 + n % 4), 1, 1, 'trace', 'hash', 'Lost'
  from generate_series(1, 200000) n`;
const vacuum = 'vacuum outrider.deliveries, outrider.delivery_queue, outrider.leases, outrider.channels, outrider.platform_limits';

async function tidy() { await database.admin.query(vacuum); }

describe('scenarios', () => {
  it('200k', async () => {
    const t0 = Date.now();
    await workspaceWithChannels('w1');
    for (let i = 0; i < 3; i++) { await round('w1', 100); }
    await tidy();
    const r = await round('w1', 100);
    console.log('before', r, Date.now() - t0);
    const c = await database.admin.connect();
    await c.query("set session_replication_role = replica");
    await c.query(text200k, ['w1', start]);
    await c.query("reset session_replication_role");
    c.release();
    await tidy();
    console.log('loaded', Date.now() - t0);
    await round('w1', 100);
    console.log('after', await round('w1', 100), Date.now() - t0);
  }, 60000);
  it('paused', async () => {
    const t0 = Date.now();
    await workspaceWithChannels('w2');
    for (let i = 0; i < 3; i++) { await round('w2', 100); }
    await tidy();
    console.log('before', await round('w2', 100), Date.now() - t0);
    await addChannel(database.admin, 'w2', 'p', {paused_until: after(1e6)});
    await addBacklog(database.admin, 'w2', ['p'], 50000);
    console.log('loaded', Date.now() - t0);
    await tidy();
    await round('w2', 100);
    console.log('paused', await round('w2', 100), Date.now() - t0);
  }, 60000);
  it('open backlog', async () => {
    const t0 = Date.now();
    await workspaceWithChannels('w3');
    for (let i = 0; i < 3; i++) { await round('w3', 100); }
    await tidy();
    console.log('before', await round('w3', 100), Date.now() - t0);
    await addBacklog(database.admin, 'w3', ['c1','c2'], 25000);
    console.log('loaded', Date.now() - t0);
    await tidy();
    await round('w3', 100);
    console.log('backlog', await round('w3', 100), Date.now() - t0);
  }, 60000);
  it('scheduled', async () => {
    const t0 = Date.now();
    await workspaceWithChannels('w4');
    for (let i = 0; i < 3; i++) { await round('w4', 100); }
    await tidy();
    console.log('before', await round('w4', 100), Date.now() - t0);
    const c = await database.admin.connect();
    await c.query("set session_replication_role = replica");
    await c.query(text200k.replace("'sent'", "'queued'").replace("$2, $2, '1'", "null, null").replace("200000","50000").replace("not_before", "not_before").replace("5, $2", "5, $2::timestamptz + interval '7 days'"), ['w4', start]);
    await c.query("reset session_replication_role");
    await c.query("insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id) select workspace_id, channel_id, not_before, seq, delivery_id from outrider.deliveries where workspace_id = 'w4' and status = 'queued'");
    c.release();
    console.log('loaded', Date.now() - t0);
    await tidy();
    await round('w4', 100);
    console.log('scheduled', await round('w4', 100), Date.now() - t0);
  }, 60000);
  it('idle', async () => {
    const next = () => meter(worker, 'select * from outrider.next_workspaces($1, $2, $3)', ['d', 100, start]);
    await next(); await next();
    console.log(await next());
    await database.admin.query(`insert into outrider.workspaces (workspace_id, name, created_at) select 'idle-' || n, 'idle', $1 from generate_series(1, 2000) n`, [start]);
    await next(); await next();
    console.log(await next());
  });
});

describe('on a fresh database without statistics', () => {
  it('the first 5,000 messages', async () => {
    await workspaceWithChannels('fresh');
    for (let n = 0; n < 50; n += 1) {
      const { claimed, committed } = await round('fresh', 100);
      if (n % 7 === 0) console.log(n, claimed, committed);
    }
  });
});
