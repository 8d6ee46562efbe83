import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCatalogue } from '../../scripts/citus/catalogue.ts';
import { faultsOf, planOf } from '../../scripts/citus/plan.ts';
import { citusScript } from '../../scripts/citus/script.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// The schema can be distributed by workspace: checked against the catalogue, and against a model of Citus's rules for
// the order of the calls. There is no Citus here.

const database = await useDatabase();
const catalogue = await readCatalogue(database.admin);
const plan = planOf(catalogue);
const kept = await readFile(path.resolve(import.meta.dirname, '../../db/citus.sql'), 'utf8');

describe('the schema', () => {
  it('has the workspace in every key of its tables and every call of its functions, but for named exceptions', () => {
    expect(faultsOf(catalogue)).toEqual([]);
  });

  it('has a place for every table', () => {
    const tables = catalogue.relations.filter(({ kind }) => kind === 'table');
    expect([...plan.reference, ...plan.distributed, ...plan.local].toSorted()).toEqual(
      tables.map(({ name }) => name).toSorted(),
    );
  });

  it.each(['messages', 'deliveries', 'delivery_queue', 'leases', 'channels', 'platform_limits'])(
    'has %s split by workspace',
    (table) => {
      expect(plan.distributed).toContain(table);
    },
  );

  it.each([
    'enqueue_messages_and_deliveries',
    'enqueue_batch',
    'ingest_pull_chunk',
    'claim_deliveries',
    'take_call',
    'extend_leases',
    'hold_delivery',
    'save_progress',
    'commit_outcomes',
    'recover_leases',
  ])('has %s run where the rows of its workspace are', (name) => {
    expect(plan.delegated.map((each) => each.name)).toContain(name);
  });
});

describe('db/citus.sql', () => {
  it('is what the schema makes of it; if not, run npm run citus', () => {
    expect(citusScript(catalogue).split('\n')).toEqual(kept.split('\n'));
  });

  it('names tables and functions that are there, each table after those that it refers to', async () => {
    await database.admin.query(modelOfCitus);
    // The guard stands before the calls, and this is not Citus.
    const calls = kept.replace(/^do \$\$[\s\S]*?^\$\$;$/m, '');
    await database.admin.query(calls);
    const { rows } = await database.admin.query<{ count: string }>(
      'select count(*)::text as count from citus_tables',
    );
    expect(rows).toEqual([{ count: String(plan.reference.length + plan.distributed.length) }]);
  });

  it('stops before the first call while something is in the way', async () => {
    await expect(database.admin.query(kept)).rejects.toThrow('the schema is not ready for Citus');
  });
});

/** Takes the calls with Citus's arguments, and refuses a table whose foreign key leads to one that is not placed yet. */
const modelOfCitus = `
  create table citus_tables (name regclass primary key, distributed boolean not null);

  create function place(p_table regclass, p_distributed boolean) returns void language plpgsql as $$
  declare
    v_key record;
  begin
    for v_key in
      select k.conname, t.name is null or (t.distributed and not p_distributed) as refused
      from pg_constraint k
      left join citus_tables t on t.name = k.confrelid
      where k.contype = 'f' and k.conrelid = p_table
    loop
      if v_key.refused then
        raise exception '% cannot be placed: %', p_table, v_key.conname;
      end if;
    end loop;
    insert into citus_tables values (p_table, p_distributed);
  end;
  $$;

  create function create_reference_table(table_name regclass) returns void language sql
  return place(table_name, false);

  create function create_distributed_table(
    table_name regclass, distribution_column text, colocate_with text default 'default'
  ) returns void language plpgsql as $$
  begin
    if colocate_with <> 'none' and not exists (select from citus_tables t where t.name = colocate_with::regclass and t.distributed) then
      raise exception '% is not distributed yet', colocate_with;
    end if;
    perform place(table_name, true);
  end;
  $$;

  create function create_distributed_function(
    function_name regprocedure, distribution_arg_name text default null, colocate_with text default 'default'
  ) returns void language plpgsql as $$
  begin
    if not exists (
      select from pg_proc p where p.oid = function_name
        and (distribution_arg_name is null or distribution_arg_name = any (p.proargnames))
    ) then
      raise exception '% has no argument %', function_name, distribution_arg_name;
    end if;
  end;
  $$;`;
