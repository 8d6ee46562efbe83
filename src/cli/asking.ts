// What all commands about a workspace share.

import { InvalidInputError, NotFoundError } from '../errors.ts';
import { type Terminal, UsageError } from './command.ts';
import { nearest, thereAre } from './given/nearest.ts';
import { text } from './given/options.ts';
import { type CommandGround, chooseWorkspace, onGround } from './ground.ts';
import { formOptions, formUsage } from './screen/form.ts';

export const askingOptions = { workspace: text, ...formOptions } as const;

export const askingUsage = `  --workspace W   the workspace, where there are several (or OUTRIDER_WORKSPACE)
${formUsage}`;

export interface Place extends CommandGround {
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

/**
 * The first word after the command, and the rest; without such a word, the first of the known ones is meant. For an
 * unknown word `whole` suggests the command line that may be meant.
 */
export function subcommandOf<Name extends string>(
  args: readonly string[],
  known: readonly [Name, ...Name[]],
  whole: (given: string) => string | undefined = () => undefined,
): { readonly name: Name; readonly rest: readonly string[] } {
  const [given, ...rest] = args;
  if (given === undefined || given.startsWith('-')) return { name: known[0], rest: args };
  const name = known.find((each) => each === given);
  if (name !== undefined) return { name, rest };
  const meant = nearest(given, known);
  if (meant !== undefined) throw new UsageError(`there is no "${given}"; did you mean ${meant}?`);
  const line = whole(given);
  const instead = line === undefined ? '' : `; did you mean: ${line}`;
  throw new UsageError(`there is no "${given}"; ${thereAre(known)}${instead}`);
}

/** A word in quotes, if a shell would not take it as it is. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function limitOf(given: string): number {
  const limit = Number(given);
  if (/^\d{1,4}$/.test(given) && limit >= 1 && limit <= 1000) return limit;
  throw new UsageError(`--limit ${given}: it is a number from 1 to 1000`);
}

/** Rewords what the database refuses: without the name of its function, and with a hint at what to do instead. */
export async function withHint<Result>(asked: Promise<Result>, hint: string): Promise<Result> {
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
