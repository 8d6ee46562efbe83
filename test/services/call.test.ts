import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callForRow, callForValue, callFunction, json } from '../../src/db/call.ts';
import { exactTime, int8, time } from '../../src/db/columns.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

beforeAll(async () => {
  await database.admin.query(`
    create function outrider.test_rows(p_count integer, p_kind text default 'plain')
      returns table (n bigint, kind text, at timestamptz)
      language sql as $$
        select g, p_kind, timestamptz '2026-01-02 03:04:05.678901+00' + g * interval '1 day'
        from generate_series(1, p_count) g
      $$;
    create function outrider.test_value(p_items jsonb) returns integer
      language sql as $$ select jsonb_array_length(p_items) $$;
    create function outrider.test_refusal(p_state text) returns void
      language plpgsql as $$
      begin
        raise exception 'refused as asked' using errcode = p_state, hint = 'ask otherwise',
          detail = 'token=secret';
      end $$;
    create function outrider.test_cast(p_text text) returns uuid
      language sql as $$ select p_text::uuid $$;
  `);
});

const row = z.object({ n: int8, kind: z.string(), at: exactTime });

describe('calling a function', () => {
  it('parses every row at the edge', async () => {
    const rows = await callFunction(database.admin, { name: 'test_rows', args: [2, 'given'], row });
    expect(rows).toEqual([
      { n: 1, kind: 'given', at: '2026-01-03 03:04:05.678901+00' },
      { n: 2, kind: 'given', at: '2026-01-04 03:04:05.678901+00' },
    ]);
  });

  it('leaves trailing arguments to their defaults', async () => {
    const rows = await callFunction(database.admin, { name: 'test_rows', args: [1], row });
    expect(rows[0]?.kind).toBe('plain');
  });

  it('keeps the microseconds of a time that is handed back', async () => {
    const [first] = await callFunction(database.admin, { name: 'test_rows', args: [1], row });
    const same = await database.admin.query(
      "select $1::timestamptz = timestamptz '2026-01-03 03:04:05.678901+00' as same",
      [first?.at],
    );
    expect(same.rows).toEqual([{ same: true }]);
  });

  it('reads a time as a Date where the caller wants one', async () => {
    const found = await callForRow(database.admin, {
      name: 'test_rows',
      args: [1],
      row: z.object({ at: time }),
    });
    expect(found.at).toEqual(new Date('2026-01-03T03:04:05.678Z'));
  });

  it('passes an array as json', async () => {
    const call = { name: 'test_value', args: [json([{ a: 'ё' }, 2])], row: z.number() };
    expect(await callForValue(database.admin, call)).toBe(2);
  });

  it('says so when one row was expected and several came', async () => {
    const answer = callForRow(database.admin, { name: 'test_rows', args: [2], row });
    await expect(answer).rejects.toMatchObject({ code: 'database_fault' });
  });

  it('says where an answer has another shape, without its values', async () => {
    const strict = z.object({ kind: z.literal('other') });
    const answer = callFunction(database.admin, {
      name: 'test_rows',
      args: [1, 's3cret'],
      row: strict,
    });
    await expect(answer).rejects.toThrow(/outrider\.test_rows .* at 0\.kind/);
    await expect(answer).rejects.not.toThrow(/s3cret/);
  });

  it.each([
    ['OR001', 'invalid_input'],
    ['OR002', 'not_found'],
    ['OR003', 'not_allowed'],
    ['OR004', 'transition_refused'],
    ['40P01', 'database_busy'],
    ['57P01', 'database_away'],
    ['XX001', 'database_fault'],
  ])('maps %s to %s and keeps details out', async (state, code) => {
    const fault: unknown = await callFunction(database.admin, {
      name: 'test_refusal',
      args: [state],
      row: z.unknown(),
    }).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code, sqlstate: state, place: 'outrider.test_refusal line 3' });
    expect(String(fault)).not.toContain('secret');
  });

  it('does not quote a value that PostgreSQL could not read', async () => {
    const answer = callForValue(database.admin, {
      name: 'test_cast',
      args: ['t0ken'],
      row: z.string(),
    });
    await expect(answer).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'invalid input syntax for type uuid',
    });
  });

  it('maps a missing right to not allowed', async () => {
    const stranger = await database.connectAs({});
    const answer = callFunction(stranger, { name: 'test_rows', args: [1], row });
    await expect(answer).rejects.toMatchObject({ code: 'not_allowed' });
  });

  it('maps a lost connection to database away, and the pool recovers', async () => {
    const client = await database.service.connect();
    client.on('error', () => undefined);
    const pid = z.object({ pid: z.number() });
    const backend = await queryRow(client, pid, 'select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await database.admin.query('select pg_terminate_backend($1)', [backend.pid]);
    await ended;
    const answer = callFunction(client, { name: 'test_rows', args: [1], row });
    await expect(answer).rejects.toMatchObject({ code: 'database_away' });
    client.release(true);
    expect((await database.service.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('goes on when a migration changed the columns of a prepared call', async () => {
    const client = await database.admin.connect();
    try {
      const loose = z.record(z.string(), z.unknown());
      await callFunction(client, { name: 'test_rows', args: [1, 'a'], row: loose });
      await database.admin.query(`
        drop function outrider.test_rows(integer, text);
        create function outrider.test_rows(p_count integer, p_kind text default 'plain')
          returns table (n bigint, kind text, at timestamptz, extra boolean)
          language sql as $$ select 1, p_kind, timestamptz '2026-01-02 03:04:05+00', true $$`);
      const rows = await callFunction(client, { name: 'test_rows', args: [1, 'a'], row: loose });
      expect(rows[0]).toMatchObject({ extra: true });
    } finally {
      client.release();
    }
  });

  it('takes only names of functions', async () => {
    const answer = callFunction(database.admin, { name: 'x(); drop table y', args: [], row });
    await expect(answer).rejects.toThrow(TypeError);
  });
});
