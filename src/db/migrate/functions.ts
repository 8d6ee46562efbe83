// db/functions: every file is the one current text of the function that it is named after.
//
// A file is applied when its text changed or its function is missing. Afterwards exactly what the
// file creates is left: no overload of an older signature, no trigger that the file no longer makes.

import type { Queryable } from '../pool.ts';
import { applyInAnyOrder } from './any-order.ts';
import { hasState, refusal } from './faults.ts';
import type { SqlFile } from './files.ts';
import {
  type AppliedFunction,
  appliedFunctions,
  forgetFunction,
  recordFunction,
} from './ledger.ts';
import { dropRoutine, dropTriggers, listRoutines, listTriggers, type Routine } from './routines.ts';

export interface FunctionChanges {
  readonly changed: readonly SqlFile[];
  readonly dropped: readonly string[];
}

// "create or replace" cannot change a result type, a parameter's name, or a function into a procedure. And while an
// overload of the older signature is there, a grant by the name alone is ambiguous.
const needsRecreation = ['42P13', '42809', '42725'];

export async function applyFunctions(
  client: Queryable,
  files: readonly SqlFile[],
  viewNames: readonly string[],
  onApplied: (done: number, total: number) => void,
): Promise<FunctionChanges> {
  const applied = await appliedFunctions(client);
  let routines = await listRoutines(client);
  const present = new Set(routines.map((each) => each.name));
  const changed = files.filter(
    (file) => applied.get(file.name)?.checksum !== file.checksum || !present.has(file.name),
  );
  let done = 0;
  await applyInAnyOrder(client, changed, async (file) => {
    routines = await applyFunction(client, file, applied.get(file.name), routines, viewNames);
    done += 1;
    onApplied(done, changed.length);
  });
  // Last, so that a trigger can move from a function that is removed to a new one.
  const names = new Set(files.map((file) => file.name));
  const gone = [...applied.values()].filter((each) => !names.has(each.name));
  for (const each of gone) await removeFunction(client, each, viewNames);
  return { changed, dropped: gone.map((each) => each.name) };
}

/** Returns the routines that there are then. */
async function applyFunction(
  client: Queryable,
  file: SqlFile,
  before: AppliedFunction | undefined,
  routines: readonly Routine[],
  viewNames: readonly string[],
): Promise<Routine[]> {
  const triggers = await listTriggers(client, file.name);
  const recreated = await createOrRecreate(client, file, routines, viewNames);

  const now = await listRoutines(client);
  const untouched = new Set(routines.map((each) => `${each.oid} ${each.version}`));
  const made = now.filter((each) => !untouched.has(`${each.oid} ${each.version}`));
  const stranger = made.find((each) => each.name !== file.name);
  if (stranger !== undefined) {
    throw refusal(
      `${file.path} changes ${stranger.signature}`,
      'a file changes the function of its name only',
    );
  }
  if (made.length === 0) {
    throw refusal(
      `${file.path} does not create outrider.${file.name}`,
      'file name = function name',
    );
  }
  const older = now.filter((each) => each.name === file.name && !made.includes(each));
  for (const each of older) await dropRoutine(client, each, file, viewNames);

  const triggersNow = await listTriggers(client, file.name);
  const unchanged = new Set(triggers.map((each) => `${each.label} ${each.version}`));
  const own = triggersNow.filter((each) => !unchanged.has(`${each.label} ${each.version}`));
  if (recreated) {
    const lost = triggers.find(
      (each) =>
        !own.some((mine) => mine.label === each.label) && !before?.triggers.includes(each.label),
    );
    if (lost !== undefined) {
      throw refusal(
        `${file.path} must recreate its function, which the trigger ${lost.label} uses without being created there`,
        'create the trigger in that file with create or replace trigger, or drop it in a migration',
      );
    }
  }
  const stale = triggersNow.filter(
    (each) => before?.triggers.includes(each.label) && !own.includes(each),
  );
  await dropTriggers(client, stale);
  await recordFunction(
    client,
    file,
    own.map((each) => each.label),
  );
  return now.filter((each) => !older.includes(each));
}

/** True when the old function had to be dropped first, and its triggers with it. */
async function createOrRecreate(
  client: Queryable,
  file: SqlFile,
  routines: readonly Routine[],
  viewNames: readonly string[],
): Promise<boolean> {
  await client.query('savepoint create_or_replace');
  try {
    await client.query(file.text);
    return false;
  } catch (error) {
    const old = routines.filter((each) => each.name === file.name);
    if (!hasState(error, ...needsRecreation) || old.length === 0) throw error;
    await client.query('rollback to savepoint create_or_replace');
    await dropTriggers(client, await listTriggers(client, file.name));
    for (const each of old) await dropRoutine(client, each, file, viewNames);
    await client.query(file.text);
    return true;
  }
}

/** Drops the function whose file was removed, and the triggers that the file created. */
async function removeFunction(
  client: Queryable,
  gone: AppliedFunction,
  viewNames: readonly string[],
): Promise<void> {
  const triggers = await listTriggers(client, gone.name);
  await dropTriggers(
    client,
    triggers.filter((each) => gone.triggers.includes(each.label)),
  );
  const path = `the removed file of ${gone.name}`;
  const file: SqlFile = { name: gone.name, path, text: '', checksum: gone.checksum };
  for (const each of await listRoutines(client)) {
    if (each.name === gone.name) await dropRoutine(client, each, file, viewNames);
  }
  await forgetFunction(client, gone.name);
}
