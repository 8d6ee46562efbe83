// Compares what is in the database with what Outrider's files made there: somebody may have changed it by hand.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { fromPostgres } from '../../errors.ts';
import { readSchemaFiles } from '../migrate/files.ts';
import type { Queryable } from '../pool.ts';
import { queryRow, queryRows } from '../query-rows.ts';

export interface SchemaDrift {
  /** Functions that are missing or have another body than their file. */
  readonly functions: readonly string[];
  /** Tables, indexes, constraints and triggers that are missing, such as "index deliveries_due_idx". */
  readonly missing: readonly string[];
  /** Indexes that PostgreSQL does not use because building them failed. */
  readonly invalidIndexes: readonly string[];
  /** Triggers that somebody has disabled. */
  readonly disabledTriggers: readonly string[];
  /** Tables whose row level security somebody has turned off. */
  readonly unguarded: readonly string[];
}

const Routine = z.object({ name: z.string(), body: z.string() });
const Objects = z.object({
  tables: z.array(z.string()),
  indexes: z.array(z.string()),
  constraints: z.array(z.string()),
  triggers: z.array(z.string()),
  invalid: z.array(z.string()),
  disabled: z.array(z.string()),
  unguarded: z.array(z.string()),
});

export async function findSchemaDrift(client: Queryable, dir: string): Promise<SchemaDrift> {
  const { functions } = await readSchemaFiles(dir);
  const snapshot = await readFile(path.join(dir, 'schema.sql'), 'utf8').catch(() => '');
  try {
    const routines = await queryRows(client, Routine, routinesText);
    const found = await queryRow(client, Objects, objectsText, [named(snapshot, guardedForm)]);
    const bodies = Map.groupBy(routines, (each) => each.name);
    const changed = functions.filter(({ name, text }) => {
      const known = bodies.get(name);
      return known === undefined || !known.every(({ body }) => text.includes(body));
    });
    return {
      functions: changed.map(({ name }) => name),
      missing: [
        ...lacking('table', named(snapshot, /^create table outrider\.(\w+)/gim), found.tables),
        ...lacking('index', named(snapshot, /^create (?:unique )?index (\w+)/gim), found.indexes),
        ...lacking('constraint', named(snapshot, constraintForm), found.constraints),
        ...lacking('trigger', named(snapshot, triggerForm), found.triggers),
      ],
      invalidIndexes: found.invalid,
      disabledTriggers: found.disabled,
      unguarded: found.unguarded,
    };
  } catch (error) {
    throw fromPostgres(error);
  }
}

const constraintForm = /^(?: {2}|alter table \S+ add )constraint (\w+)/gim;
const triggerForm = /^create (?:constraint )?trigger (\w+)/gim;
const guardedForm = /^alter table outrider\.(\w+) enable row level security/gim;

function named(text: string, form: RegExp): string[] {
  return Array.from(text.matchAll(form), ([, name = '']) => name);
}

function lacking(what: string, wanted: readonly string[], found: readonly string[]): string[] {
  const there = new Set(found);
  return wanted.filter((name) => !there.has(name)).map((name) => `${what} ${name}`);
}

// A body in the SQL standard's form is kept parsed, without its text.
const routinesText = `
  select p.proname::text as name, case when p.prosqlbody is null then p.prosrc else '' end as body
  from pg_catalog.pg_proc p
  where p.pronamespace = 'outrider'::regnamespace`;

const objectsText = `
  select
    array(select c.relname::text from pg_catalog.pg_class c
      where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('r', 'p')) as tables,
    array(select c.relname::text from pg_catalog.pg_class c
      where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('i', 'I')) as indexes,
    array(select k.conname::text from pg_catalog.pg_constraint k
      where k.connamespace = 'outrider'::regnamespace) as constraints,
    array(select t.tgname::text from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'outrider'::regnamespace and not t.tgisinternal) as triggers,
    array(select c.relname::text from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
      where c.relnamespace = 'outrider'::regnamespace and not i.indisvalid order by 1) as invalid,
    array(select distinct t.tgname || ' on ' || c.relname from pg_catalog.pg_trigger t
      join pg_catalog.pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'outrider'::regnamespace and not t.tgisinternal and t.tgenabled = 'D' order by 1) as disabled,
    array(select c.relname::text from pg_catalog.pg_class c
      where c.relnamespace = 'outrider'::regnamespace and c.relname = any ($1) and not c.relrowsecurity order by 1) as unguarded`;
