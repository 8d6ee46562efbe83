// Records what became of deliveries. Plain successes, which are nearly all, take the short way.

import { commitOutcomes, commitSent, type Outcome, type Sent, type Verdict } from '../db/commit.ts';
import type { Queryable } from '../db/pool.ts';
import { type GatheredCommits, type GatheringOptions, gatherCommits } from '../gathered-commits.ts';
import { type Observer, unobserved } from '../observer.ts';

export interface CommitterOptions extends GatheringOptions {
  readonly client: Queryable;
  readonly observer?: Observer | undefined;
}

export type Committer = GatheredCommits<Outcome, Verdict>;

export function createCommitter({
  client,
  observer = unobserved,
  ...options
}: CommitterOptions): Committer {
  return gatherCommits<Outcome, Verdict>(
    {
      async record(workspaceId, outcomes) {
        const startedAt = observer.now();
        const verdicts = await commitAll(client, workspaceId, outcomes);
        observer.commit({ startedAt, outcomes: outcomes.length });
        return verdicts;
      },
      split,
      withoutDetails,
      idOf: ({ deliveryId }) => deliveryId,
      idName: 'delivery_id',
    },
    options,
  );
}

/**
 * Splits the outcomes into plain successes, which are nearly all, and the others. A batch with a failure is not split:
 * a success in the same commit says that the platform is well (note_illness). In a commit of its own the success would
 * come before or after the failure.
 */
function split(outcomes: readonly Outcome[]): readonly (readonly Outcome[])[] {
  if (outcomes.some(({ ok }) => !ok)) return [outcomes];
  const { plain = [], others = [] } = Object.groupBy(outcomes, (outcome) =>
    isPlain(outcome) ? 'plain' : 'others',
  );
  return [plain, others];
}

/** Whether the provider's id is all there is to record. */
function isPlain(outcome: Outcome): outcome is Sent {
  return (
    outcome.ok &&
    outcome.meta === undefined &&
    outcome.sentAt === undefined &&
    outcome.payloadRef === undefined &&
    !outcome.parts?.length
  );
}

async function commitAll(
  client: Queryable,
  workspaceId: string,
  outcomes: readonly Outcome[],
): Promise<Verdict[]> {
  if (!outcomes.every(isPlain)) return commitOutcomes(client, workspaceId, outcomes);
  const stale = await commitSent(client, workspaceId, {
    deliveryIds: outcomes.map((each) => each.deliveryId),
    claimTokens: outcomes.map((each) => each.claimToken),
    providerMessageIds: outcomes.map((each) => each.providerMessageId),
  });
  const notes = new Map(stale.map((each) => [each.deliveryId, each.note]));
  return outcomes.map(({ deliveryId }) => {
    const note = notes.get(deliveryId) ?? null;
    return { deliveryId, became: note === null ? 'sent' : null, nextRetryAt: null, note };
  });
}

function withoutDetails(outcome: Outcome): Outcome | undefined {
  const { deliveryId, claimToken, parts, payloadRef } = outcome;
  const isBare = parts === undefined && payloadRef === undefined;
  if (outcome.ok) {
    if (outcome.meta === undefined && isBare) return undefined;
    return { deliveryId, claimToken, ok: true, providerMessageId: outcome.providerMessageId };
  }
  const { message, raw, ...error } = outcome.error;
  if (message === undefined && raw === undefined && isBare) return undefined;
  return { deliveryId, claimToken, ok: false, error };
}
