import { type Config, loadConfig } from '../config.ts';
import { type Database, openDatabase } from '../db/open.ts';
import { createLog } from '../log.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { untilStopped } from './ground.ts';
import { nearest } from './nearest.ts';
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
    if (positionals.length === 0) throw new UsageError('which role?');
    const config = loadConfig();
    await runRoles(positionals.map(roleOf), { config, terminal, json: values.json }, (running) => {
      if (running.url !== undefined) terminal.err(`listening on ${running.url}`);
    });
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

/** Starts roles, tells when they run, and stops them when the terminal says so. */
export async function runRoles(
  wanted: readonly Role[],
  ground: { config: Config; terminal: Terminal; json: boolean },
  onRunning: (running: Running, database: Database) => Promise<void> | void,
): Promise<void> {
  const { config, terminal, json } = ground;
  const { stopped } = terminal;
  const log = createLog({
    level: config.logLevel,
    pretty: terminal.isTty && !json,
    write: (line) => terminal.out(line.trimEnd()),
  });
  const notice = (line: string): void => terminal.err(line);
  const database = await untilStopped(terminal, (signal) =>
    openDatabase(config, { notice, signal }),
  );
  try {
    const running = await startRoles(wanted, { config, database, log });
    try {
      await onRunning(running, database);
      await stopped;
    } finally {
      await running.stop();
    }
  } finally {
    await database.close();
  }
}
