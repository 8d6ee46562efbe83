// Who gives an order, and why: both go on record with what was done. A large order is asked about first.

import os from 'node:os';
import { Declined, type Terminal, UsageError } from '../command.ts';
import { flag, text } from './options.ts';

export const operatorOptions = {
  reason: text,
  operator: text,
  'dry-run': flag,
  yes: flag,
} as const;

/** An order that changes more things than this is asked about first. */
const unaskedAtMost = 20;

export const operatorUsage = `  --reason R      why, for the record; not needed for a dry run
  --operator O    who, for the record (default: the user of this machine)
  --dry-run       only says what it would do
  --yes           changes more than ${unaskedAtMost} things without asking; needed where nobody can be asked`;

interface Given {
  readonly reason?: string | undefined;
  readonly operator?: string | undefined;
  readonly 'dry-run': boolean;
}

export interface OrderGiven {
  readonly operator: string;
  readonly reason: string;
  readonly dryRun: boolean;
}

export function orderOf({ reason, operator, 'dry-run': dryRun }: Given): OrderGiven {
  const isReason = reason !== undefined && reason.trim() !== '';
  if (!isReason && !dryRun) throw new UsageError('why? --reason says so, for the record');
  if (operator?.trim() === '') throw new UsageError('who? --operator is empty');
  return { operator: operator ?? userName(), reason: isReason ? reason : 'dry run', dryRun };
}

/** In a container the user may have a number and no name. */
export function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** An order on several things. */
export interface Undertaking<Result> {
  /** How many things it may change at most; undefined: that is not known beforehand. */
  readonly size: number | undefined;
  readonly call: (dryRun: boolean) => Promise<readonly Result[]>;
  readonly isChange: (result: Result) => boolean;
  /** What it would do to so many, such as "57 deliveries would be requeued". */
  readonly foretell: (changes: number) => string;
}

/**
 * Carries an order out. If more than 20 things would change, a person is asked first. Where nobody can be asked, such an
 * order is refused unless it says --yes.
 */
export async function carriedOut<Result>(
  terminal: Pick<Terminal, 'canAsk' | 'ask'>,
  { 'dry-run': dryRun, yes }: { readonly 'dry-run': boolean; readonly yes: boolean },
  { size, call, isChange, foretell }: Undertaking<Result>,
): Promise<readonly Result[]> {
  const isSmall = size !== undefined && size <= unaskedAtMost;
  if (dryRun || yes || isSmall) return call(dryRun);
  const changes = (await call(true)).filter(isChange).length;
  await askedAbout(terminal, yes, changes, foretell);
  return call(false);
}

/** Asks a person whether so many things may change, if they are more than 20. */
export async function askedAbout(
  terminal: Pick<Terminal, 'canAsk' | 'ask'>,
  yes: boolean,
  changes: number,
  foretell: (changes: number) => string,
): Promise<void> {
  if (yes || changes <= unaskedAtMost) return;
  const what = foretell(changes);
  if (!terminal.canAsk) {
    throw new UsageError(`${what}: say --yes for so many, or look first with --dry-run`);
  }
  const answer = await terminal.ask(`${what}. Go on? [y/N]`);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Declined();
}

/** What an order did to one thing. */
export interface Answer {
  readonly id: string;
  readonly isDone: boolean;
  readonly note: string | null;
}

/** Why some were left alone, and what to know of others; each note once. */
export function notesOf(answers: readonly Answer[]): string[] {
  const noted = answers.filter((each) => !each.isDone || each.note !== null);
  return [...Map.groupBy(noted, (each) => each.note ?? 'nobody knows why')].map(
    ([note, [first, ...more]]) => {
      const who = more.length === 0 ? first?.id : `${first?.id} and ${more.length} more`;
      return `${who}: ${note}`;
    },
  );
}
