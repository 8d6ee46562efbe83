// Outrider as it sends: the dispatch role, with the real adapter and the real transport.

import { createTelegramAdapter } from '../../src/adapters/telegram/adapter.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { countMetrics } from '../../src/db/metrics.ts';
import { openPool } from '../../src/db/pool.ts';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { createTransport } from '../../src/http/transport.ts';
import { silentLog } from '../../src/log.ts';
import { type Outrider, openOutrider } from '../../src/outrider.ts';
import type { TracingVariables } from '../../src/tracing-settings.ts';
import type { Contender, PreparedQueue } from '../contender.ts';
import { countRows } from '../count-rows.ts';
import { serviceLogin } from '../outrider/dispatcher.ts';
import { bindBot, channelCount, installOutrider, workspace } from '../outrider/workload.ts';
import { postsInSlices } from '../post.ts';
import { botToken } from '../provider/bot.ts';

interface Settings {
  /** Calls under way at once. */
  readonly concurrency: number;
  /** How many deliveries are claimed beyond those and wait for their turn. */
  readonly claimAhead: number;
  readonly connections: number;
  /** Declared for every channel and for their group; null for no pace. */
  readonly ratePerSecond: number | null;
}

// The more is claimed ahead, the larger are claims and commits, and the less they cost for each delivery. Up to nine
// tenths of the calls may belong to one workspace.
const best = { concurrency: 100, claimAhead: 2000, connections: 8, ratePerSecond: null };

export function outriderSending(providerUrl: string): Contender {
  return contender('outrider', providerUrl, best);
}

/** Declares limits that never hold anything back: a slot is shorter than the clock's microsecond. */
export function outriderLimitedSending(providerUrl: string): Contender {
  return contender('outrider-limited', providerUrl, { ...best, ratePerSecond: 2_000_000 });
}

/** Declares limits above the rate that is reached. Most slots of a claim are a little ahead, so the sends wait. */
export function outriderPacedSending(providerUrl: string): Contender {
  return contender('outrider-paced', providerUrl, { ...best, ratePerSecond: 100_000 });
}

/** How a dispatcher is observed while it sends. */
export interface Observed {
  readonly metrics: 'local' | 'off';
  readonly tracing?: TracingVariables | undefined;
}

/** The same with the upkeep beside it, as `outrider run dispatch` has it. Metrics are counted and read every second. */
export function outriderObserved(name: string, providerUrl: string, observed: Observed): Contender {
  return {
    name,
    store: 'postgres',
    settings: { ...best, metrics: observed.metrics, traces: observed.tracing?.sampler ?? 'off' },
    prepare: (databaseUrl) => prepare(databaseUrl, providerUrl, best, observed),
  };
}

export function outriderSendingSweep(providerUrl: string): Contender[] {
  return [50, 100, 200].flatMap((concurrency) =>
    [500, 1000, 2000, 4000].map((claimAhead) =>
      contender('outrider', providerUrl, { ...best, concurrency, claimAhead }),
    ),
  );
}

function contender(name: string, providerUrl: string, settings: Settings): Contender {
  return {
    name,
    store: 'postgres',
    settings: { ...settings, channels: channelCount },
    prepare: (databaseUrl) => prepare(databaseUrl, providerUrl, settings),
  };
}

async function prepare(
  databaseUrl: string,
  providerUrl: string,
  { concurrency, claimAhead, connections, ratePerSecond }: Settings,
  observed?: Observed,
): Promise<PreparedQueue> {
  const admin = await installOutrider(databaseUrl, channelCount, ratePerSecond);
  await bindBot(admin, 'env:BOT');
  const url = await serviceLogin(databaseUrl);
  const client = openPool({ url, applicationName: 'bench dispatcher', max: connections });
  const transport = createTransport({ connections: concurrency });
  const telegram = createTelegramAdapter({ transport, baseUrl: providerUrl });
  const means = {
    database: { serviceUrl: url },
    pools: { claims: client, outcomes: client },
    adapters: { telegram },
    log: silentLog,
  };
  const sending = { concurrency, claimAhead, drainMs: 10_000, secrets: { BOT: botToken } };
  const config = observed === undefined ? sending : { ...sending, ...configOf(observed) };
  const more = { answersHealth: observed !== undefined, intervals: { countEveryMs: readEveryMs } };
  return {
    async seed(count, text) {
      for (const items of postsInSlices(count / channelCount, 100, text)) {
        const posts = items.map((item) => ({ title: item.title, text: item.text, url: item.url }));
        await enqueueBatch(admin, { workspaceId: workspace, kind: 'push', items: posts });
      }
      // The first count of a new database goes through the hour before it: once in its life, so before the clock starts.
      while ((await countMetrics(admin)).isBehind);
    },
    async drain(count) {
      const sent = Promise.withResolvers<void>();
      let left = count;
      const counting = (deliver: Deliver): Deliver => {
        return async (...args) => {
          const outcome = await deliver(...args);
          left -= 1;
          if (!outcome.ok) sent.reject(new Error(`a send failed: ${outcome.error.message}`));
          if (left === 0) sent.resolve();
          return outcome;
        };
      };
      const outrider = await openOutrider(config, { ...means, ...more, around: counting });
      try {
        await outrider.start(observed === undefined ? ['dispatch'] : ['dispatch', 'upkeep']);
        await (observed?.metrics === 'local' ? whileRead(outrider, sent.promise) : sent.promise);
      } finally {
        await outrider.stop(); // waits for the commits
      }
    },
    remaining: () => countRows(databaseUrl, "outrider.deliveries where status <> 'sent'"),
    async close() {
      await transport.close();
      await client.end();
      await admin.end();
    },
  };
}

const readEveryMs = 1000;

function configOf({ metrics, tracing }: Observed) {
  return {
    http: { host: '127.0.0.1', port: 0 },
    metrics: { access: metrics, tokenRef: undefined },
    tracing,
  };
}

/** Reads /metrics again and again until the work is done. */
async function whileRead(outrider: Outrider, work: Promise<void>): Promise<void> {
  const reads: Promise<void>[] = [];
  const timer = setInterval(() => reads.push(readMetrics(outrider)), readEveryMs);
  try {
    await work;
  } finally {
    clearInterval(timer);
    await Promise.all(reads);
  }
}

async function readMetrics({ url }: Outrider): Promise<void> {
  const response = await fetch(`${url}/metrics`);
  const text = await response.text();
  if (!text.includes('outrider_database_up 1\n')) throw new Error('the metrics cannot be read');
}
