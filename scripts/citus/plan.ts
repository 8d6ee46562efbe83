// Which table goes where on Citus, which functions run beside their rows, and what stands in the way. Decided from the
// catalogue alone: a table or a function that is added is placed by the same rules.
//
// The rules are Citus's own (version 14, docs.citusdata.com and its source): a distributed table has its distribution
// column in every unique key; it may refer to colocated tables by keys that pair that column, and to reference tables;
// a reference table refers to reference tables only; a function that runs on a worker finds distributed and reference
// tables there, and no local ones.

import type { Catalogue, Routine } from './catalogue.ts';
import { functionsWithoutWorkspace, keysWithoutWorkspace } from './exceptions.ts';
import { inOrderOfKeys } from './order.ts';
import { referencesOf } from './references.ts';

export const column = 'workspace_id';
const argument = 'p_workspace_id';

export interface Plan {
  /** Copied whole to every node; what others refer to comes first. */
  readonly reference: readonly string[];
  /** Split by workspace, all in the same way; what others refer to comes first. */
  readonly distributed: readonly string[];
  /** On the coordinator only. */
  readonly local: readonly string[];
  /** Public functions of one workspace: they run where its rows are. */
  readonly delegated: readonly Routine[];
  /** Public functions that reach rows of workspaces and run on the coordinator. */
  readonly coordinated: readonly Routine[];
}

export interface Exceptions {
  readonly functions: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string>>;
}

const ours: Exceptions = { functions: functionsWithoutWorkspace, keys: keysWithoutWorkspace };

export function planOf(catalogue: Catalogue, { functions, keys }: Exceptions = ours): Plan {
  const { reached } = referencesOf(catalogue);
  const tables = catalogue.relations.filter((each) => each.kind === 'table');
  const tenants = namesWhere(tables, ({ workspace }) => workspace !== null);
  const ofWorkspaces = namesWhere(catalogue.relations, ({ workspace }) => workspace !== null);

  const acting = catalogue.routines.filter(
    (each) => each.is_public && !reached(each).isDisjointFrom(ofWorkspaces),
  );
  const coordinated = acting.filter(({ name }) => name in functions);
  const delegated = acting.filter(({ name }) => !(name in functions));

  const reference = new Set([
    ...catalogue.uniqueKeys.filter(({ name }) => name in keys).map(({ table }) => table),
    ...delegated.flatMap((each) => [...reached(each)]).filter((name) => !ofWorkspaces.has(name)),
    ...catalogue.foreignKeys
      .filter(({ table, target }) => tenants.has(table) && !tenants.has(target))
      .map(({ target }) => target),
  ]);
  // A table that a reference table refers to becomes one, too. The loop also visits what it adds.
  for (const table of reference) {
    for (const key of catalogue.foreignKeys) if (key.table === table) reference.add(key.target);
  }

  const placed = (names: Iterable<string>): string[] => inOrderOfKeys(names, catalogue.foreignKeys);
  return {
    reference: placed(reference),
    distributed: placed(tenants.difference(reference)),
    local: tables
      .map((each) => each.name)
      .filter((name) => !tenants.has(name) && !reference.has(name)),
    delegated,
    coordinated,
  };
}

function namesWhere(
  relations: Catalogue['relations'],
  holds: (relation: Catalogue['relations'][number]) => boolean,
): Set<string> {
  return new Set(relations.filter(holds).map((each) => each.name));
}

/** What breaks the rule that every key and every call names its workspace; empty when nothing does. */
export function faultsOf(catalogue: Catalogue, exceptions: Exceptions = ours): string[] {
  const plan = planOf(catalogue, exceptions);
  const { relations, uniqueKeys, foreignKeys } = catalogue;
  const distributed = new Set(plan.distributed);
  const kinds = new Set(
    relations.filter(({ name }) => distributed.has(name)).map(({ workspace }) => workspace),
  );
  const ownKeys = uniqueKeys.filter(({ table }) => distributed.has(table));
  const ownReferences = foreignKeys.filter(({ table }) => distributed.has(table));
  return [
    ...(kinds.size > 1 ? [`${column} is not the same everywhere: ${[...kinds].join(', ')}`] : []),
    ...ownKeys
      .filter(({ columns }) => !columns.includes(column))
      .map(({ table, name }) => `${table}: the key ${name} has no ${column}`),
    ...ownReferences
      .filter(({ columns, target, target_columns: targets }) => {
        const place = columns.indexOf(column);
        return distributed.has(target) && (place === -1 || targets[place] !== column);
      })
      .map(({ table, name }) => `${table}: ${name} refers to another workspace's rows`),
    ...ownReferences
      .filter(({ is_reset: isReset, columns }) => isReset && columns.includes(column))
      .map(({ table, name }) => `${table}: ${name} would change ${column} by itself`),
    ...relations
      .filter(({ name }) => distributed.has(name))
      .flatMap(({ name, small_identities: small }) =>
        small.map((each) => `${name}: ${each} numbers itself, and is no bigint`),
      ),
    ...plan.delegated
      .filter(({ arguments: [first] }) => first !== argument)
      .map(({ name }) => `${name} does not take ${argument} as its first argument`),
    ...unused(catalogue, plan, exceptions),
  ];
}

/** Exceptions that nothing needs: one of them would hide the next fault. */
function unused({ uniqueKeys }: Catalogue, plan: Plan, { functions, keys }: Exceptions): string[] {
  const excused = [
    ...uniqueKeys.filter((key) => !key.columns.includes(column)).map((key) => key.name),
    ...plan.coordinated
      .filter((routine) => !routine.arguments.includes(argument))
      .map((routine) => routine.name),
  ];
  return Object.keys({ ...functions, ...keys })
    .filter((name) => !excused.includes(name))
    .map((name) => `${name} is an exception that nothing needs`);
}
