// Who gives an order, and why: both go on record with what was done.

import os from 'node:os';
import { UsageError } from './command.ts';
import { flag, text } from './options.ts';

export const operatorOptions = { reason: text, operator: text, 'dry-run': flag } as const;

export const operatorUsage = `  --reason R      why, for the record; not needed for a dry run
  --operator O    who, for the record (default: the user of this machine)
  --dry-run       only says what it would do`;

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

/** What an order did to one thing. */
export interface Answer {
  readonly id: string;
  readonly isDone: boolean;
  readonly note: string | null;
}

/** Why some were left alone, each reason once. */
export function refusalsOf(answers: readonly Answer[]): string[] {
  const refused = answers.filter((each) => !each.isDone);
  return [...Map.groupBy(refused, (each) => each.note ?? 'nobody knows why')].map(
    ([note, [first, ...more]]) => {
      const who = more.length === 0 ? first?.id : `${first?.id} and ${more.length} more`;
      return `${who}: ${note}`;
    },
  );
}
