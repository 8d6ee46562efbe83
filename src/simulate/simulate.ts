// One simulation: the workspace as it is, and, where changes are given, the same posts with the changes.

import type { Queryable } from '../db/pool.ts';
import type { KnownMedium } from '../db/simulate.ts';
import type { Arrival } from './delivery.ts';
import { type RunOptions, type RunResult, runWorkspace } from './run.ts';
import {
  closeWorkspace,
  keepMedia,
  makeWorkspace,
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
  /** One connection to a scratch database. */
  readonly client: Queryable;
  /** What its workspaces are called; they must be new. */
  readonly name?: string | undefined;
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
  const { client, name = 'simulated', configuration, arrivals, media, onProgress } = options;
  const workspaceId = which === 'as it is' ? name : `${name}-changed`;
  const now = new Date(arrivals[0]?.at ?? 0).toISOString();
  await makeWorkspace(client, workspaceId, configuration, now);
  if (which === 'with the changes') {
    for (const { document, refusal } of options.changes) {
      const change = { document, earlierTemplates: [] };
      await makeWorkspace(client, workspaceId, change, now).catch((error: unknown) => {
        throw refusal(error);
      });
    }
  }
  const stored = await keepMedia(client, workspaceId, arrivals, media, now);
  const result = await runWorkspace({
    ...options,
    workspaceId,
    arrivals: stored,
    coarseness: coarsenessFor(stored, configuration),
    onProgress: onProgress && ((done, known) => onProgress(which, done, known)),
  });
  await closeWorkspace(client, workspaceId, now);
  return result;
}

/** The finest steps at which a minute is enough: a few thousand deliveries are simulated event by event. */
function coarsenessFor(arrivals: readonly Arrival[], { document }: SimulatedConfiguration): number {
  const channels = Object.keys(document['channels'] ?? {}).length;
  const deliveries = arrivals.length * channels;
  return Math.min(0.005, Math.max(0.0002, deliveries / 20_000_000));
}
