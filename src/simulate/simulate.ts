// One simulation: the workspace as it is, and, where changes are given, the same posts with the changes. Bundles of
// its rate groups run at the same time, each as a workspace of its own.

import type { ListedChannel } from '../db/channel-rows.ts';
import { listChannels } from '../db/inspect.ts';
import type { Queryable } from '../db/pool.ts';
import { type KnownMedium, showConfiguration } from '../db/simulate.ts';
import { InvalidInputError } from '../errors.ts';
import { bundlesOf } from './bundles.ts';
import { type RunOptions, type RunResult, runWorkspace } from './run.ts';
import { together } from './together.ts';
import {
  keepMedia,
  makeWorkspace,
  onlyChannels,
  type SimulatedConfiguration,
} from './workspace.ts';

/** A change of the configuration: a document as apply takes it. */
export interface ConfigurationChange {
  readonly document: Readonly<Record<string, unknown>>;
  /** The error to report when the database refuses the document. */
  readonly refusal: (error: unknown) => unknown;
}

export interface SimulationOptions
  extends Omit<RunOptions, 'client' | 'workspaceId' | 'coarseness' | 'onProgress'> {
  /** Connections to one scratch database; as many bundles run at once. */
  readonly clients: readonly [Queryable, ...Queryable[]];
  /** What its workspaces are called; they must be new. */
  readonly name?: string | undefined;
  /** What its user calls the workspace, and what it is called where a change is refused. */
  readonly realName?: string | undefined;
  readonly configuration: SimulatedConfiguration;
  readonly changes: readonly ConfigurationChange[];
  /** What is known of the media of the posts, by blob_ref. */
  readonly media: Readonly<Record<string, KnownMedium>>;
  readonly onProgress?: ((which: Which, done: number, known: number) => void) | undefined;
}

type Which = 'as it is' | 'with the changes';

export interface Simulation {
  readonly asItIs: RunResult;
  /** Undefined where no changes are given. */
  readonly changed: RunResult | undefined;
}

export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const asItIs = await runOne(options, 'as it is');
  const changed =
    options.changes.length === 0 ? undefined : await runOne(options, 'with the changes');
  return { asItIs, changed };
}

async function runOne(options: SimulationOptions, which: Which): Promise<RunResult> {
  const { clients, name = 'simulated', configuration, arrivals, onProgress } = options;
  const [client] = clients;
  const workspaceId = which === 'as it is' ? name : `${name}-changed`;
  const now = new Date(arrivals[0]?.at ?? 0).toISOString();
  await makeWorkspace(client, workspaceId, configuration, now);
  if (which === 'with the changes') {
    for (const { document, refusal } of options.changes) {
      const change = { document, earlierTemplates: [] };
      await makeWorkspace(client, workspaceId, change, now).catch((error: unknown) => {
        throw refusal(asOf(options.realName ?? workspaceId, error, workspaceId));
      });
    }
  }
  const channels = await listChannels(client, { workspaceId }, now);
  const coarseness = coarsenessFor(arrivals.length * channels.length);
  const bundles = await makeBundles(options, workspaceId, channels, now);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  const progress = sumOfProgress(onProgress && ((...sum) => onProgress(which, ...sum)));
  const running = bundles.map(async (bundle) => {
    const stored = await keepMedia(bundle.client, bundle.workspaceId, arrivals, options.media, now);
    return runWorkspace({
      ...options,
      ...bundle,
      arrivals: stored,
      coarseness,
      signal,
      onProgress: progress(),
    });
  });
  try {
    return together(await Promise.all(running));
  } finally {
    stop.abort();
    await Promise.allSettled(running);
  }
}

/** What the database has refused in one workspace, in the words in which it would be said of the other. */
function asOf(realName: string, error: unknown, workspaceId: string): unknown {
  if (!(error instanceof InvalidInputError)) return error;
  const { message, hint, sqlstate } = error;
  const words = message.replaceAll(`workspace "${workspaceId}"`, `workspace "${realName}"`);
  return new InvalidInputError(words, { hint, sqlstate });
}

type Bundle = Pick<RunOptions, 'client' | 'workspaceId'>;

/** The workspace itself where it cannot be divided, or one workspace for each bundle. */
async function makeBundles(
  { clients, places }: SimulationOptions,
  workspaceId: string,
  channels: readonly ListedChannel[],
  now: string,
): Promise<Bundle[]> {
  const [first] = clients;
  const bundles = bundlesOf(channels, places, clients.length);
  if (bundles.length === 1) return [{ client: first, workspaceId }];
  const whole = await showConfiguration(first, workspaceId);
  return Promise.all(
    bundles.map(async (channelIds, n) => {
      const bundle = { client: clients[n] ?? first, workspaceId: `${workspaceId}-${n + 1}` };
      await makeWorkspace(bundle.client, bundle.workspaceId, onlyChannels(whole, channelIds), now);
      return bundle;
    }),
  );
}

/** Gives each bundle a function to tell its progress to, and tells the sum. */
function sumOfProgress(
  tell: ((done: number, known: number) => void) | undefined,
): () => RunOptions['onProgress'] {
  const bundles: { done: number; known: number }[] = [];
  const sum = (of: 'done' | 'known'): number => bundles.reduce((all, each) => all + each[of], 0);
  return () => {
    const own = { done: 0, known: 0 };
    bundles.push(own);
    return (done, known) => {
      Object.assign(own, { done, known });
      tell?.(sum('done'), sum('known'));
    };
  };
}

/** The finest steps at which a minute is enough: a few thousand deliveries are simulated event by event. */
function coarsenessFor(deliveries: number): number {
  return Math.min(0.005, Math.max(0.0002, deliveries / 20_000_000));
}
