import { type Config, loadConfig } from '../config.ts';
import type { Database } from '../db/open.ts';
import { holdPort } from '../http/held-port.ts';
import { createLog } from '../log.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { untilStopped } from './ground.ts';
import { nearest } from './nearest.ts';
import { openInStages } from './opening.ts';
import { flag, readOptions } from './options.ts';
import { type Role, type Running, roles, startRoles } from './roles.ts';

const usage = `outrider run <role> [<role>…] [options]

Runs parts of Outrider until it is told to stop (Ctrl-C, SIGTERM). Any number of processes, on any number of
machines, may run the same role against one PostgreSQL.

  ingest     takes posts in over HTTP
  dispatch   sends what is due

  --json     log lines as JSON, also on a terminal

The environment says the rest: .env.example lists the variables.`;

export const run: Command = {
  usage,
  async run(args, terminal) {
    const { positionals, values } = readOptions(args, { json: flag });
    if (positionals.length === 0) throw new UsageError(`which role? there are ${roles.join(', ')}`);
    const config = loadConfig();
    const wanted = positionals.map(roleOf);
    await runRoles(
      wanted,
      { config, terminal, json: values.json },
      {
        onRunning({ url }) {
          if (url !== undefined) terminal.err(`listening on ${url}`);
        },
      },
    );
    return exitCodes.ok;
  },
};

function roleOf(name: string): Role {
  const role = roles.find((each) => each === name);
  if (role !== undefined) return role;
  const meant = nearest(name, roles);
  const instead = meant === undefined ? `there are ${roles.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`there is no role "${name}"; ${instead}`);
}

interface Steps {
  /** Done before anybody can ask for anything. */
  readonly onOpened?: (database: Database) => Promise<void>;
  /** Told before the first line of the log. */
  readonly onRunning: (running: Running) => void;
}

/**
 * Starts roles, and stops them when the terminal says so. The port comes first: where it is taken, the process ends
 * before it has touched the database.
 */
export async function runRoles(
  wanted: readonly Role[],
  ground: { config: Config; terminal: Terminal; json: boolean },
  { onOpened, onRunning }: Steps,
): Promise<void> {
  const { config, terminal, json } = ground;
  const { stopped } = terminal;
  const log = createLog({
    level: config.logLevel,
    pretty: terminal.isTty && !json,
    write: (line) => terminal.out(line.trimEnd()),
  });
  const heldPort = wanted.includes('ingest') ? await holdPort(config.http) : undefined;
  try {
    const database = await untilStopped(terminal, (signal) =>
      openInStages(terminal, config, { signal }),
    );
    try {
      await onOpened?.(database);
      const running = await startRoles(wanted, { config, database, log, heldPort, onRunning });
      await stopped;
      await running.stop();
    } finally {
      await database.close();
    }
  } finally {
    await heldPort?.release();
  }
}
