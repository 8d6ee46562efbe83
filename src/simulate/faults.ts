// Faults of platforms: which call is struck, and what the sender then reports.

import type { SendError } from '../adapters/adapter.ts';
import { sendError } from '../adapters/answer.ts';
import { type CallPlace, chanceOf } from './chance.ts';

/** The faults that a simulation knows, with what each means. */
export const faultKinds = {
  '429': 'the platform asks to come back later, and the whole rate group waits',
  '5xx': 'the platform is ill, and nobody knows whether the post arrived',
  drop: 'the connection breaks without an answer',
  timeout: 'no answer comes within the time of a call',
  unreachable: 'no connection can be made',
  refused: 'the platform refuses the post for good',
  kicked: 'the bot may not post in the chat: the channel is paused',
} as const;

export type FaultKind = keyof typeof faultKinds;

/** The fault that strikes a call; undefined: it succeeds. */
export type FaultsOf = (call: CallPlace) => FaultKind | undefined;

export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** Strikes each call with these chances, from 0 to 1. */
export function chanceFaults(rates: FaultRates, seed = 'faults'): FaultsOf {
  const kinds = Object.entries(rates).flatMap(([name, rate]): [FaultKind, number][] => {
    const kind = isFaultKind(name) ? name : undefined;
    return kind === undefined || rate === undefined ? [] : [[kind, rate]];
  });
  return (call) => {
    let chance = chanceOf(seed, call);
    for (const [kind, rate] of kinds) {
      if (chance < rate) return kind;
      chance -= rate;
    }
    return undefined;
  };
}

export function isFaultKind(name: string): name is FaultKind {
  return Object.hasOwn(faultKinds, name);
}

const errors: Readonly<Record<FaultKind, (retryAfterMs: number) => SendError>> = {
  '429': (retryAfterMs) =>
    sendError('rate_limited', 'simulated: too many requests', { retryAfterMs }),
  '5xx': () => sendError('outcome_unknown', 'simulated: the platform is ill'),
  drop: () => sendError('outcome_unknown', 'simulated: the connection broke'),
  timeout: () => sendError('outcome_unknown', 'simulated: no answer in time'),
  unreachable: () => sendError('unreachable', 'simulated: no connection'),
  refused: () => sendError('refused', 'simulated: the platform refuses the post'),
  kicked: () => sendError('not_allowed', 'simulated: the bot is not a member of the chat'),
};

/** The error that an adapter would report. */
export function errorOf(kind: FaultKind, retryAfterMs: number): SendError {
  return errors[kind](retryAfterMs);
}
