// Reads the options that say how the simulated platforms answer and how much is sent at once.

import type { Config } from '../../config.ts';
import { listSendTimes, type SendTimes } from '../../db/simulate.ts';
import { shareOfOne } from '../../dispatch/calls.ts';
import { type DurationOf, durationsFrom } from '../../simulate/durations.ts';
import {
  chanceFaults,
  type FaultRates,
  type FaultsOf,
  faultKinds,
  isFaultKind,
} from '../../simulate/faults.ts';
import { defaults } from '../capacity/options.ts';
import { UsageError } from '../command.ts';
import { nearest, thereAre } from '../given/nearest.ts';
import { text } from '../given/options.ts';
import { platformNames } from '../screen/platform-words.ts';
import type { RealWorkspace } from './beside.ts';
import { countOf, spanGiven } from './posts.ts';

export const sendingOptions = {
  faults: text,
  'retry-after': text,
  'answer-ms': text,
  processes: text,
  concurrency: text,
} as const;

const otherwiseMs = defaults['answer-ms'];

export const sendingUsage = `How it is sent:
  --faults LIST      the share of calls that fail, such as 429=2%,timeout=1%; there are
${Object.entries(faultKinds)
  .map(([kind, words]) => `                       ${kind.padEnd(12)} ${words}`)
  .join('\n')}
  --retry-after D    how long a platform that answers 429 asks to wait (default: 5s)
  --answer-ms LIST   how long a call takes: 200, or ${platformNames.map((name) => `${name}=200`).join(',')}
                     (default: as the workspace's latest sends took; ${otherwiseMs} if there are too few)
  --processes N      processes that send (default: 1), --concurrency N sends at once in each (default: as configured)`;

export interface SendingGiven {
  readonly faults: FaultRates;
  readonly retryAfterMs: number;
  /** By platform. The empty name stands for all platforms. */
  readonly answerMs: ReadonlyMap<string, number>;
  readonly processes: number;
  readonly concurrency: number | undefined;
}

export interface SendingFacts {
  readonly measured: readonly SendTimes[];
}

type Values = { readonly [Name in keyof typeof sendingOptions]?: string | undefined };

export function sendingGiven(values: Values): SendingGiven {
  return {
    faults: faultRates(values.faults),
    retryAfterMs: spanGiven('retry-after', values['retry-after']) ?? 5000,
    answerMs: answerTimes(values['answer-ms']),
    processes: countOf('processes', values.processes) ?? 1,
    concurrency: countOf('concurrency', values.concurrency),
  };
}

function faultRates(given: string | undefined): FaultRates {
  if (given === undefined) return {};
  const rates: Partial<Record<keyof typeof faultKinds, number>> = {};
  for (const part of given.split(',')) {
    const [, name = '', share = '', percent = ''] =
      /^\s*([\w]+)\s*=\s*(\d+(?:\.\d+)?|\.\d+)\s*(%?)\s*$/.exec(part) ?? [];
    if (name === '') {
      throw new UsageError(`--faults ${part}: write a fault and its share, such as 429=2%`);
    }
    if (!isFaultKind(name)) throw new UsageError(`--faults ${part}: ${unknownFault(name)}`);
    const rate = Number(share) / (percent === '' ? 1 : 100);
    if (rate > 1) throw new UsageError(`--faults ${part}: a share is from 0 to 1, or up to 100%`);
    rates[name] = rate;
  }
  const all = Object.values(rates).reduce((sum, rate) => sum + rate, 0);
  if (all > 1) throw new UsageError(`--faults ${given}: more than all calls would fail`);
  return rates;
}

function unknownFault(name: string): string {
  const known = Object.keys(faultKinds);
  const meant = nearest(name, known);
  const instead = meant === undefined ? thereAre(known) : `did you mean ${meant}?`;
  return `there is no fault "${name}"; ${instead}`;
}

function answerTimes(given: string | undefined): Map<string, number> {
  const times = new Map<string, number>();
  for (const part of given?.split(',') ?? []) {
    const [, name = '', ms = ''] = /^\s*(?:(\w+)\s*=\s*)?(\d{1,6})\s*$/.exec(part) ?? [];
    const isKnown = name === '' || platformNames.includes(name);
    if (ms === '' || Number(ms) < 1 || !isKnown) {
      const example = `200, or ${platformNames[0]}=200`;
      throw new UsageError(
        `--answer-ms ${part}: write a number of milliseconds, such as ${example}`,
      );
    }
    times.set(name, Number(ms));
  }
  return times;
}

/** How many of the latest deliveries of each channel are measured. */
const measuredPerChannel = 100;

export async function readSendTimes({ client, workspaceId }: RealWorkspace): Promise<SendTimes[]> {
  return listSendTimes(client, { workspaceId, limit: measuredPerChannel });
}

export interface Sending {
  readonly durationOf: DurationOf;
  readonly faultsOf: FaultsOf;
  readonly retryAfterMs: number;
  readonly timeoutMs: number;
  /** How many sends there may be at once, in all processes together. */
  readonly places: number;
}

/** How long adapters wait for an answer, unless a channel says otherwise. */
const timeoutMs = 30_000;

export function sendingOf(
  given: SendingGiven,
  measured: readonly SendTimes[],
  { concurrency }: Config,
): Sending {
  const forAll = given.answerMs.get('');
  return {
    durationOf: durationsFrom({
      measured: forAll === undefined ? measured : [],
      given: given.answerMs,
      otherwiseMs: forAll ?? otherwiseMs,
    }),
    faultsOf: chanceFaults(given.faults),
    retryAfterMs: given.retryAfterMs,
    timeoutMs,
    places: shareOfOne(given.concurrency ?? concurrency) * given.processes,
  };
}
