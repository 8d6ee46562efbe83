import { z } from 'zod';
import { callFunction } from '../../../src/db/call.ts';
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
  const client = await scene.database.admin.connect();
  try {
    await client.query('begin');
    const before = await checksums(client);
    await client.query('savepoint before_the_call');
    await client.query(`set local role ${callerOf(routine)}`);
    const call = { name: routine.name, args: inOrder(routine, args), row: z.unknown() };
    const answer = await callFunction(client, call).catch(ours);
    await client.query(
      answer instanceof OutriderError ? 'rollback to before_the_call' : 'set local role none',
    );
    const after = await checksums(client);
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return {
      rows: answer instanceof OutriderError ? [] : answer,
      error: answer instanceof OutriderError ? answer : undefined,
      changed: [...names].filter((name) => before[name] !== after[name]),
    };
  } finally {
    await client.query('rollback');
    client.release();
  }
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

/** The error of a call that must be refused and must change nothing. */
export async function refusalOf(
  scene: TwoWorkspaces,
  routine: Routine,
  args: Arguments,
): Promise<OutriderError> {
  const { error, rows, changed } = await tryCall(scene, routine, args);
  if (error !== undefined && changed.length === 0) return error;
  throw new Error(
    `accepted: ${JSON.stringify(rows).slice(0, 300)}; changed: ${changed.join(', ')}`,
  );
}
