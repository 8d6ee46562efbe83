// Works on a workspace from beside it: the real database is only read, and a scratch database takes what is written. A
// Ctrl-C waits until the scratch database is dropped.

import { type Config, loadConfig } from '../../config.ts';
import { openPool, type Queryable } from '../../db/pool.ts';
import { inScratch, type Scratch } from '../../db/scratch.ts';
import type { Terminal } from '../command.ts';
import { chooseWorkspace, untilStopped } from '../ground.ts';
import { openInStages } from '../opening.ts';
import { throughStages } from '../screen/waiting.ts';

export interface Beside<Facts> {
  readonly config: Config;
  /** Of the scratch database. */
  readonly clients: Scratch['clients'];
  readonly tidy: () => Promise<void>;
  readonly facts: Facts;
  readonly signal: AbortSignal;
  /** Says what is being done, once it has taken a second. */
  readonly begin: (what: string) => void;
}

export interface RealWorkspace {
  readonly config: Config;
  /** Of the real database. */
  readonly client: Queryable;
  readonly workspaceId: string;
}

/** Reads what is needed of the real workspace, and then works in a scratch database. */
export async function beside<Facts, Result>(
  terminal: Terminal,
  named: string | undefined,
  read: (real: RealWorkspace) => Promise<Facts>,
  work: (place: Beside<Facts>) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig();
  return untilStopped(terminal, async (signal) => {
    const database = await openInStages(terminal, config, { migration: 'never', signal });
    try {
      signal.throwIfAborted();
      const facts = await readFrom(config, database, named, read);
      signal.throwIfAborted();
      return await throughStages(terminal, async (begin) => {
        begin('making a scratch database');
        return inScratch({ url: database.url, signal }, ({ clients, tidy }) =>
          work({ config, clients, tidy, facts, signal, begin }),
        );
      });
    } finally {
      await database.close();
    }
  });
}

async function readFrom<Facts>(
  config: Config,
  database: Parameters<typeof chooseWorkspace>[0]['database'],
  named: string | undefined,
  read: (real: RealWorkspace) => Promise<Facts>,
): Promise<Facts> {
  const client = openPool({ url: database.serviceUrl, applicationName: 'outrider', max: 2 });
  try {
    const workspaceId = await chooseWorkspace({ config, database, client }, named);
    return await read({ config, client, workspaceId });
  } finally {
    await client.end();
  }
}
