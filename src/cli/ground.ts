// What most commands need: the configuration and a database that is up to date.

import { type Config, loadConfig } from '../config.ts';
import { listWorkspaces } from '../db/inspect.ts';
import type { Database, OpenOptions } from '../db/open.ts';
import { openPool, type Queryable } from '../db/pool.ts';
import { OutriderError } from '../errors.ts';
import { Interrupted, type Terminal } from './command.ts';
import { nearest, thereAre } from './given/nearest.ts';
import { openInStages } from './opening.ts';

export interface CommandGround {
  readonly config: Config;
  readonly database: Database;
  readonly client: Queryable;
}

/**
 * Opens the database for a piece of work, and closes it afterwards. The schema is changed only when
 * `migration` says so.
 */
export async function onGround<Result>(
  terminal: Terminal,
  work: (ground: CommandGround) => Promise<Result>,
  migration: OpenOptions['migration'] = 'never',
): Promise<Result> {
  const config = loadConfig();
  return untilStopped(terminal, async (signal) => {
    const database = await openInStages(terminal, config, { migration, signal });
    try {
      signal.throwIfAborted();
      const pool = openPool({ url: database.serviceUrl, applicationName: 'outrider', max: 4 });
      try {
        return await orInterrupted(signal, work({ config, database, client: pool }));
      } finally {
        const closed = pool.end();
        if (!signal.aborted) await closed;
      }
    } finally {
      await database.close();
    }
  });
}

/** Does work with a signal that is aborted when the terminal is told to stop. */
export async function untilStopped<Result>(
  { stopped }: Terminal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort(new Interrupted()));
  return work(stopping.signal);
}

/** Waits for a piece of work; throws Interrupted as soon as the signal is aborted. */
export function orInterrupted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Interrupted()));
  });
  return Promise.race([work, interrupted]);
}

/** The workspace that a command means: the one it names, the configured one, or the only one. */
export async function chooseWorkspace(
  ground: CommandGround,
  named: string | undefined,
): Promise<string> {
  const wanted = named ?? ground.config.workspace;
  const known = await listWorkspaces(ground.client);
  const names = known.map((each) => each.workspaceId);
  const list = names.length === 0 ? 'there is none yet' : thereAre(names);
  if (wanted === undefined) {
    const [only, ...more] = names;
    if (only !== undefined && more.length === 0) return only;
    throw new OutriderError('invalid_input', `which workspace? ${list}`, {
      hint:
        only === undefined
          ? 'make one with outrider apply <file>'
          : 'name it with --workspace, or set OUTRIDER_WORKSPACE',
    });
  }
  if (names.includes(wanted)) return wanted;
  const meant = nearest(wanted, names);
  const instead = meant === undefined ? list : `did you mean ${meant}?`;
  throw new OutriderError('not_found', `there is no workspace "${wanted}"; ${instead}`, {
    hint: 'check the name, or make it with outrider apply <file>',
  });
}
