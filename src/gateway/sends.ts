// Sends by their claims. A row that comes again, because a caller has lost the answer, joins the send that is under way or
// gets the outcome that it had. So a repeated request never makes a second post.
//
//   a row → no send of its claim is known → under way → its outcome is kept for an hour, among the last 10,000
//                                                     → nothing was sent: forgotten, a repeat may try again
//   a row → a send of its claim is known → the same outcome

import type { Clock } from '../clock.ts';

/** Whether somebody still waits for the answer. */
export type IsWanted = () => boolean;

export interface SendsOptions<Outcome> {
  readonly clock: Clock;
  /** Whether something may have been sent. */
  readonly mayHaveSent: (outcome: Outcome) => boolean;
  /** The most outcomes that are kept. */
  readonly mostKept?: number | undefined;
}

export interface Sends<Outcome> {
  /** `gone` is aborted when the caller has gone. */
  send(
    claim: string,
    gone: AbortSignal,
    begin: (isWanted: IsWanted) => Promise<Outcome>,
  ): Promise<Outcome>;
}

interface UnderWay<Outcome> {
  readonly outcome: Promise<Outcome>;
  readonly callers: AbortSignal[];
}

interface Ended<Outcome> {
  readonly outcome: Outcome;
  readonly at: number;
}

const keptMs = 3_600_000;

/** A claim by its ids, however they are written: PostgreSQL reads a uuid in capitals and without hyphens as well. */
export function claimOf(workspaceId: string, ...uuids: readonly string[]): string {
  const digits = uuids.map((uuid) => uuid.toLowerCase().replaceAll(/[^0-9a-f]/g, ''));
  return [workspaceId, ...digits].join(' ');
}

export function createSends<Outcome>(options: SendsOptions<Outcome>): Sends<Outcome> {
  const { clock, mayHaveSent, mostKept = 10_000 } = options;
  const underWay = new Map<string, UnderWay<Outcome>>();
  /** The oldest first. */
  const kept = new Map<string, Ended<Outcome>>();

  async function run(
    claim: string,
    callers: readonly AbortSignal[],
    begin: (isWanted: IsWanted) => Promise<Outcome>,
  ): Promise<Outcome> {
    try {
      const outcome = await begin(() => callers.some((each) => !each.aborted));
      if (mayHaveSent(outcome)) keep(claim, outcome);
      return outcome;
    } finally {
      underWay.delete(claim);
    }
  }

  function keep(claim: string, outcome: Outcome): void {
    kept.set(claim, { outcome, at: clock.now() });
    for (const [each, { at }] of kept) {
      if (kept.size <= mostKept && clock.now() - at < keptMs) return;
      kept.delete(each);
    }
  }

  return {
    async send(claim, gone, begin) {
      const ended = kept.get(claim);
      if (ended !== undefined) return ended.outcome;
      const joined = underWay.get(claim);
      if (joined !== undefined) {
        joined.callers.push(gone);
        return joined.outcome;
      }
      const callers = [gone];
      const outcome = run(claim, callers, begin);
      underWay.set(claim, { outcome, callers });
      return outcome;
    },
  };
}
