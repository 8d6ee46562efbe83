// What Citus would refuse or do wrongly with the schema as it is now.

import type { Catalogue, Routine } from './catalogue.ts';
import type { Plan } from './plan.ts';
import { referencesOf } from './references.ts';

export interface Obstacle {
  readonly what: string;
  /** What Citus does about it. */
  readonly because: string;
  readonly where: readonly string[];
}

export function obstaclesOf(catalogue: Catalogue, plan: Plan): Obstacle[] {
  const { called } = referencesOf(catalogue);
  const spread = catalogue.relations.filter(({ name }) =>
    [...plan.distributed, ...plan.reference].includes(name),
  );
  const inUse = new Set([...plan.delegated, ...plan.coordinated].flatMap((r) => [...called(r)]));
  const routines = [...inUse].toSorted((a, b) => (a.signature < b.signature ? -1 : 1));
  return [
    {
      what: 'triggers',
      because:
        'a table with triggers is not distributed unless citus.enable_unsafe_triggers is on; they then fire on the shards',
      where: spread.flatMap(({ name, triggers }) => triggers.map((each) => `${name}: ${each}`)),
    },
    {
      what: 'policies with a subquery',
      because: 'a table with such a policy is not distributed',
      where: spread.flatMap(({ name, subquery_policies: policies }) =>
        policies.map((each) => `${name}: ${each}`),
      ),
    },
    {
      what: 'functions that change rows by their ctid alone',
      because:
        'without the workspace the statement goes to every shard, where the same ctid is another row',
      where: routines.filter(changesByCtidAlone).map(({ name }) => name),
    },
    {
      what: 'reference tables that functions write',
      because: 'a row of theirs is written on every node, by one transaction over all of them',
      where: routines
        .filter(({ name }) => !isConfiguration(name))
        .flatMap((routine) => plan.reference.filter(isWrittenBy(routine)).map(inWords(routine))),
    },
  ].filter(({ where }) => where.length > 0);
}

/** Whether a statement finds the rows that it changes by their ctid, without naming their workspace as well. */
function changesByCtidAlone({ body }: Routine): boolean {
  return body
    .split(';')
    .some((statement) =>
      [...statement.matchAll(/\b(?:update|delete from)\s+outrider\.\w+\s+(\w+)\b/g)].some(
        ([, changed = '']) =>
          new RegExp(`\\b${changed}\\.ctid = `).test(statement) &&
          !new RegExp(`\\b${changed}\\.workspace_id = `).test(statement),
      ),
    );
}

/** Configuration changes rarely. */
function isConfiguration(name: string): boolean {
  return name.startsWith('apply_') || name === 'warm_up';
}

function isWrittenBy({ body }: Routine): (table: string) => boolean {
  return (table) =>
    new RegExp(`\\b(update|insert into|delete from)\\s+outrider\\.${table}\\b`).test(body);
}

function inWords({ name }: Routine): (table: string) => string {
  return (table) => `${table}: ${name}`;
}
