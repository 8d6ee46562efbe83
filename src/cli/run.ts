import { type Config, loadConfig } from '../config.ts';
import type { Database } from '../db/open.ts';
import { holdPort } from '../http/held-port.ts';
import { createLog, type Log } from '../log.ts';
import { type OutriderMeans, openOutrider } from '../outrider.ts';
import { type RoleName, roleNames, roles, serving, workingRoleOf } from '../roles/roles.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { nearest } from './given/nearest.ts';
import { flag, readOptions } from './given/options.ts';
import { untilStopped } from './ground.ts';
import { openInStages } from './opening.ts';

const usage = `outrider run <role> [<role>…] [options]

Runs parts of Outrider until it is told to stop (Ctrl-C, SIGTERM). Any number of processes, on any number of
machines, may run the same role against one PostgreSQL.

${roles.map((each) => `  ${each.name.padEnd(11)}${each.summary}`).join('\n')}

  --health   answers /healthz, /readyz, /metrics and /status at OUTRIDER_HOST and OUTRIDER_PORT; ingest and
             adapters do so anyway
  --json     log lines as JSON, also on a terminal

The environment says the rest: .env.example lists the variables.`;

export const run: Command = {
  usage,
  async run(args, terminal) {
    const { positionals, values } = readOptions(args, { health: flag, json: flag });
    if (positionals.length === 0) {
      throw new UsageError(`which role? there are ${roleNames.join(', ')}`);
    }
    const config = loadConfig();
    const wanted = withUpkeep(positionals.map(roleOf));
    await runRoles(
      wanted,
      { config, terminal, json: values.json },
      {
        answersHealth: values.health,
        onListening(url) {
          if (url !== undefined) terminal.err(`listening on ${url}`);
        },
      },
    );
    return exitCodes.ok;
  },
};

function roleOf(name: string): RoleName {
  const role = roleNames.find((each) => each === name);
  if (role !== undefined) return role;
  const meant = nearest(name, roleNames);
  const instead =
    meant === undefined ? `there are ${roleNames.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`there is no role "${name}"; ${instead}`);
}

/** A process that sends also recovers stale leases, of all processes: so a second dispatcher recovers for the first. */
function withUpkeep(wanted: readonly RoleName[]): readonly RoleName[] {
  return wanted.includes('dispatch') || wanted.includes('bot') ? [...wanted, 'upkeep'] : wanted;
}

export interface RunGround {
  readonly config: Config;
  readonly terminal: Terminal;
  readonly json: boolean;
}

interface Steps extends Pick<OutriderMeans, 'answersHealth' | 'onListening'> {
  /** Done before the first role starts. */
  readonly onOpened?: (database: Database) => Promise<void>;
}

/**
 * Starts roles, and stops them when the terminal says so. The port comes first: if it is taken, the process ends
 * before it touches the database.
 */
export async function runRoles(
  wanted: readonly RoleName[],
  ground: RunGround,
  { onOpened, ...means }: Steps,
): Promise<void> {
  const { config, terminal } = ground;
  const { stopped } = terminal;
  const log = logTo(ground);
  const worksAs = workingRoleOf(wanted);
  const listens = wanted.some((each) => serving.has(each)) || means.answersHealth === true;
  const heldPort = listens ? await holdPort(config.http) : undefined;
  try {
    const database = await untilStopped(terminal, (signal) =>
      openInStages(terminal, config, { role: worksAs, signal }),
    );
    try {
      await onOpened?.(database);
      const outrider = await openOutrider(config, { ...means, database, log, heldPort, worksAs });
      try {
        await outrider.start(wanted);
        await stopped;
      } finally {
        await outrider.stop();
      }
    } finally {
      await database.close();
    }
  } finally {
    await heldPort?.release();
  }
}

/** The log on the terminal: lines for a person who looks at it, JSON otherwise. */
export function logTo({ config, terminal, json }: RunGround): Log {
  return createLog({
    level: config.logLevel,
    pretty: terminal.isTty && !json,
    write: (line) => terminal.out(line.trimEnd()),
  });
}
