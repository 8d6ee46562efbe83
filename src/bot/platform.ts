// What the bot must know about a platform: how it proves that a request is its own, and how it tells what people wrote.

import type { BotUpdate } from '../db/bot.ts';

export interface BotPlatform {
  /** As in outrider.platforms; also the end of the address that the webhook calls. */
  readonly name: string;
  /** The header in which the platform sends the secret of the webhook. */
  readonly secretHeader: string;
  /** Reads the body of a request. It may hold anything: whoever knows the secret can call us. */
  readUpdate(body: unknown): ReadUpdate;
}

export type ReadUpdate =
  | { readonly kind: 'update'; readonly update: BotUpdate }
  /** There is nothing to answer, and the platform need not send it again. */
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** As much of a person's name as the inbox takes; undefined: the person has none. */
export function nameOf(...parts: readonly (string | null | undefined)[]): string | undefined {
  const name = parts.filter(Boolean).join(' ');
  // By whole characters: a pair of surrogates is not cut in two.
  return name === '' ? undefined : /^.{0,200}/su.exec(name.toWellFormed())?.[0];
}

/** The last year that has four digits; PostgreSQL does not read the way in which later ones are written. */
const latest = Date.UTC(9999, 11, 31);

/** The time that a platform names, in milliseconds. */
export function timeOf(ms: number): string {
  return new Date(Math.min(ms, latest)).toISOString();
}

export const notDialog: ReadUpdate = {
  kind: 'ignored',
  why: 'the bot answers only in chats with one person',
};
