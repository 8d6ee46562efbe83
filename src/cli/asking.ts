// What the commands share that ask about a workspace.

import { InvalidInputError, NotFoundError } from '../errors.ts';
import { type Terminal, UsageError } from './command.ts';
import { chooseWorkspace, type Ground, onGround } from './ground.ts';

export const askingOptions = {
  workspace: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

export const askingUsage = `  --workspace W   the workspace, where there are several (or OUTRIDER_WORKSPACE)
  --json          one JSON document`;

export interface Place extends Ground {
  readonly workspaceId: string;
}

/** Does something in the workspace that the command line means. */
export function inWorkspace<Result>(
  terminal: Terminal,
  named: string | undefined,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  return onGround(terminal, async (ground) =>
    work({ ...ground, workspaceId: await chooseWorkspace(ground, named) }),
  );
}

/** The first word after the command: one of those that it knows. */
export function subcommandOf<Name extends string>(
  args: readonly string[],
  known: readonly Name[],
): Name {
  const [given] = args;
  const name = known.find((each) => each === given);
  if (name !== undefined) return name;
  throw new UsageError(
    given === undefined || given.startsWith('-')
      ? `say what: ${known.join(' or ')}`
      : `there is no "${given}"; there is ${known.join(' and ')}`,
  );
}

/** An id as the command line must give it; anything else is never asked for. */
export function idOf(what: string, text: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text;
  const article = /^[aeiou]/.test(what) ? 'an' : 'a';
  throw new UsageError(
    `"${text}" is not the id of ${article} ${what}: an id looks like 0198c0de-7d2a-7e3f-89e2-553500000001`,
  );
}

/** What the database refuses, without the name of its function and with what to do instead. */
export async function retold<Result>(asked: Promise<Result>, hint: string): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof InvalidInputError) {
      const message = error.message.replace(/^[a-z_]+: /, '').replace(/^raw_payload /, 'the post ');
      const Same = error instanceof NotFoundError ? NotFoundError : InvalidInputError;
      throw new Same(message, { hint, sqlstate: error.sqlstate });
    }
    throw error;
  }
}
