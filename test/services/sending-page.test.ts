import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { addBacklog, addChannel, addWorkspace } from '../support/database/seed.ts';
import { openEmptyDatabase } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';
import { fromSources } from '../support/processes/from-sources.ts';
import { bind } from '../support/queries/documented-queries.ts';

// docs/sending.md: every statement of the page, in its order, as a login that is only outrider_worker.

const page = read('docs/sending.md');
const statements = [...page.matchAll(/^ *```sql\n(.*?)^ *```/gms)].map(([, sql = '']) => sql);

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

const database = await useDatabase();
let worker: pg.Pool;

beforeAll(async () => {
  await addWorkspace(database.admin, 'city');
  await addChannel(database.admin, 'city', 'news');
  await addBacklog(database.admin, 'city', ['news'], 7);
  worker = await database.connectAs({ workspaces: ['city'], roles: ['outrider_worker'] });
});

type Row = Record<string, unknown>;

/** Runs the statement of the page that calls the function. */
async function run(name: string, values: Row = {}): Promise<Row[]> {
  const [sql, ...others] = statements.filter((each) => each.includes(`outrider.${name}(`));
  if (sql === undefined || others.length > 0) throw new Error(`not one statement calls ${name}`);
  const { rows }: { rows: Row[] } = await worker.query(bind(sql, values));
  return rows;
}

describe('the page on sending with a program of your own', () => {
  it('claims, takes further calls, keeps progress, commits, extends, releases and recovers as it says', async () => {
    const claimed = await run('claim_deliveries');
    expect(claimed).toHaveLength(7);
    expect(claimed[0]).toMatchObject({ lease_ms: '300000', attempt: 1, outcome_unknown: false });
    const [first, second, third, fourth, fifth, sixth] = claimed;
    const same = first ?? {};
    const unpaid = { ...same, channel_slot: null, group_slot: null };
    const [taken] = await run('take_call', unpaid);
    expect(taken).toMatchObject({ group_slot: expect.any(String), wait_ms: expect.any(Number) });
    expect(await run('take_call', { ...same, ...taken })).toMatchObject([
      { channel_slot: taken?.['channel_slot'], group_slot: taken?.['group_slot'] },
    ]);
    expect(await run('save_progress', same)).toEqual([{ save_progress: true }]);
    expect(await run('mark_sent', same)).toEqual([{ became: 'sent', note: null }]);
    expect(await run('schedule_retry', second)).toMatchObject([{ became: 'retry' }]);
    expect(await run('commit_outcomes', third)).toMatchObject([{ became: 'sent' }]);
    expect(await run('commit_sent', sixth)).toEqual([]);
    expect(await run('commit_sent', sixth)).toMatchObject([
      { note: expect.stringMatching(/^stale: the delivery is "sent"/) },
    ]);
    expect(await run('release_claims', fourth)).toHaveLength(1);
    const { claim_token } = same;
    expect(await run('extend_leases', same)).toEqual([{ claim_token, lease_ms: '300000' }]);
    expect(await run('fail_permanent', fifth)).toMatchObject([{ became: 'failed_permanent' }]);
    expect(await run('recover_leases')).toEqual([]);
  });

  it('quotes what a stale commit is told', async () => {
    await database.admin.query(
      "update outrider.leases set lease_until = now() - interval '1 minute'",
    );
    const { rows } = await database.admin.query<Row>(
      "select delivery_id, claim_token from outrider.deliveries where status = 'sending'",
    );
    expect(rows).toHaveLength(1);
    expect(await run('recover_leases')).toMatchObject([{ became: 'retry' }]);
    const slots = { channel_slot: null, group_slot: null };
    expect(await run('take_call', { ...rows[0], ...slots })).toEqual([]);
    const [verdict] = await run('mark_sent', rows[0]);
    expect(verdict?.['became']).toBeNull();
    expect(verdict?.['note']).toBe('stale: the delivery is "retry" and not held under this token');
  });

  it('shows the function of the example as it is', () => {
    const code = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
    expect(code).toContain('claimDeliveries');
    expect(read('examples/own-sender.ts')).toContain(code);
  });
});

it('the example of a sender of your own delivers', async () => {
  const empty = await openEmptyDatabase();
  try {
    const example = fileURLToPath(new URL('../../examples/own-sender.ts', import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, fromSources(example), {
      env: { ...process.env, DATABASE_URL: empty.url, ...compiledSources },
    });
    const lines = ['"Lost near the station: a ginger dog" to @lost_pets_city', 'sent', ''];
    expect(stdout.split('\n')).toEqual(lines);
    expect(stderr).toBe('');
  } finally {
    await empty.drop();
  }
});
