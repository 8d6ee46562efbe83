import { z } from 'zod';
import { callFunction } from '../../../src/db/call.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { OutriderError } from '../../../src/errors.ts';
import { checksums, type Routine } from './catalogue.ts';
import { type Arguments, inOrder, type TwoWorkspaces } from './two-workspaces.ts';

export interface Answer {
  readonly rows: readonly unknown[];
  readonly error: OutriderError | undefined;
  /** The tables whose rows changed. */
  readonly changed: readonly string[];
}

/** Calls a function as a role that may do so; answers with its result and with what it changed. Then rolls back. */
export async function tryCall(
  scene: TwoWorkspaces,
  routine: Routine,
  args: Arguments,
): Promise<Answer> {
  return rolledBack(scene, async (client) => {
    const before = await checksums(client);
    const answer = await callAsItsCaller(client, routine, args);
    // An error undoes what the call has written.
    if (answer instanceof OutriderError) return { rows: [], error: answer, changed: [] };
    await client.query('set local role none');
    const after = await checksums(client);
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    const changed = [...names].filter((name) => before[name] !== after[name]);
    return { rows: answer, error: undefined, changed };
  });
}

async function rolledBack<Result>(
  { database }: TwoWorkspaces,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await database.admin.connect();
  try {
    await client.query('begin');
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

async function callAsItsCaller(
  client: Queryable,
  routine: Routine,
  args: Arguments,
): Promise<readonly unknown[] | OutriderError> {
  await client.query(`set local role ${callerOf(routine)}`);
  const call = { name: routine.name, args: inOrder(routine, args), row: z.unknown() };
  return callFunction(client, call).catch(ours);
}

/** What reads raw payloads asks for a workspace, too: the superuser has both. */
function callerOf({ isForServices, grantees }: Routine): string {
  if (isForServices) return 'outrider_service';
  return grantees.includes('outrider_privileged') ? 'none' : 'outrider_retention';
}

function ours(error: unknown): OutriderError {
  if (error instanceof OutriderError) return error;
  throw error;
}

/** The error of a call that must be refused. */
export async function refusalOf(
  scene: TwoWorkspaces,
  routine: Routine,
  args: Arguments,
): Promise<OutriderError> {
  const answer = await rolledBack(scene, (client) => callAsItsCaller(client, routine, args));
  if (answer instanceof OutriderError) return answer;
  throw new Error(`accepted: ${JSON.stringify(answer).slice(0, 300)}`);
}
