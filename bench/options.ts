import { parseArgs } from 'node:util';

export interface Options {
  readonly repetitions: number;
  readonly jobs: number;
  /** Contenders by their names or the beginnings of their names; undefined for all. */
  readonly only: readonly string[] | undefined;
  readonly scenario: string;
  /** One batch size for all that batch; undefined for the best one of each. */
  readonly batch: number | undefined;
  /** Deliveries sent before, in the scenarios `history` and `purge`. */
  readonly past: number;
  /** How long nothing happens before a post in the scenario `rest`. */
  readonly restSeconds: number;
}

/** What is asked for cannot be had; the message tells the user. */
export class UsageError extends Error {}

export const usage = `npm run bench -- [options]

  --scenario NAME   drain, drain-500, drain-text, burst, equal, plain, history, purge, fresh, idle, fanout,
                    intake, texts, latency, sending, seeing, bot, publish, simulate, all (default), or rest,
                    sweep, sending-sweep, publish-sweep
  --reps N          repetitions, interleaved (default 5)
  --jobs N          jobs in each round (default 60000)
  --only A,B        only contenders with these names, or with names that begin with them
  --batch N         the same batch size for all that batch (default: the best one of each)
  --past N          history, purge: deliveries sent before (default 1000000)
  --rest S          rest: seconds in which nothing happens before a post (default 15)
`;

export function parseOptions(args: readonly string[]): Options {
  const values = valuesOf(args);
  return {
    repetitions: positive('reps', values.reps),
    jobs: positive('jobs', values.jobs),
    only: values.only?.split(','),
    scenario: values.scenario,
    batch: values.batch === undefined ? undefined : positive('batch', values.batch),
    past: positive('past', values.past),
    restSeconds: positive('rest', values.rest),
  };
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        reps: { type: 'string', default: '5' },
        jobs: { type: 'string', default: '60000' },
        only: { type: 'string' },
        scenario: { type: 'string', default: 'all' },
        batch: { type: 'string' },
        past: { type: 'string', default: '1000000' },
        rest: { type: 'string', default: '15' },
      },
    }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [firstLine = ''] = error.message.split('\n');
    throw new UsageError(firstLine);
  }
}

/** `graphile-worker` chooses `graphile-worker-http` as well. */
export function isChosen(name: string, only: Options['only']): boolean {
  return only === undefined || only.some((each) => name === each || name.startsWith(`${each}-`));
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new UsageError(`--${name} ${text}: not a count`);
  return value;
}
