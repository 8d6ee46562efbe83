// The puller: claims sources that are due, and reads several of them at once, so that a slow one keeps nobody waiting. Any
// number of pullers work side by side: a source has one at a time, by its lease.
//
//   looking → a source is due, and there is a place → a pull begins → looking
//   looking → nothing is due, or no place is free → resting: a pull ends, or two seconds pass → looking
//   stop() → the pulls under way are broken off and give their sources back → stopped

import { randomUUID } from 'node:crypto';
import { startChore, type TurnPace } from '../chore.ts';
import { type ClaimedSource, claimPullSource } from '../db/pull.ts';
import type { Log } from '../log.ts';
import { type Health, healthy, type Service } from '../service.ts';
import { type PullContext, type Pulled, pullSource } from './pull-source.ts';

export interface PullerOptions extends PullContext {
  readonly log: Log;
  /** How long a stop waits for pulls that cannot be broken off. */
  readonly drainMs: number;
  /** The most pulls at once; three quarters of them for one workspace. 8 when missing. */
  readonly atOnce?: number | undefined;
  /** How often it looks for what is due; a look comes up to a quarter earlier or later. */
  readonly everyMs?: number | undefined;
}

export interface Puller extends Service {
  /** Looks at once. */
  look(): void;
}

/** Well below the shortest span between two pulls of a source. */
const lookEveryMs = 2000;

export function startPuller(options: PullerOptions): Puller {
  const { client, log, clock, lease, drainMs, atOnce = 8, everyMs = lookEveryMs } = options;
  const mostOfOne = Math.max(1, Math.floor(atOnce * 0.75));
  const runId = randomUUID();
  const stopping = new AbortController();
  const underWay = new Map<Promise<void>, string>();

  async function beginDue({ isOver }: TurnPace): Promise<void> {
    while (!isOver() && underWay.size < atOnce) {
      const claim = { runId, lease, except: withTheirShare() };
      const claimed = await claimPullSource(client, claim, options.now?.());
      if (claimed === undefined) return;
      begin(claimed);
    }
  }

  function begin(claimed: ClaimedSource): void {
    const pull = run(claimed).finally(() => {
      underWay.delete(pull);
      looks.ring();
    });
    underWay.set(pull, claimed.workspaceId);
  }

  /** The workspaces that have so many pulls under way that the other places are for others. */
  function withTheirShare(): string[] {
    const counts = Map.groupBy(underWay.values(), (workspaceId) => workspaceId);
    return [...counts].flatMap(([workspaceId, pulls]) =>
      pulls.length >= mostOfOne ? [workspaceId] : [],
    );
  }

  async function run(claimed: ClaimedSource): Promise<void> {
    const facts = { workspace_id: claimed.workspaceId, source_id: claimed.sourceId };
    try {
      report(await pullSource(options, claimed, stopping.signal), facts);
    } catch (error) {
      log.warn('a pull broke off; its source is read again when the lease is over', {
        ...facts,
        error: String(error),
      });
    }
  }

  function report(pulled: Pulled, facts: Readonly<Record<string, string>>): void {
    const { outcome, reason, nextPullAt, accepted, rejected, leftOut } = pulled;
    const next = nextPullAt?.toISOString();
    const counts = { accepted, rejected, media_left_out: leftOut };
    if (outcome === 'failed') {
      log.warn('a pull source cannot be read', { ...facts, error: reason, next_pull_at: next });
    } else if (outcome === 'held') {
      log.warn('a pull ended before an item whose medium cannot be fetched', {
        ...facts,
        ...counts,
        error: reason,
        next_pull_at: next,
      });
    } else if (outcome === 'lost') {
      log.info('a pull ended: another puller has its source, or the source has changed', facts);
    } else if (accepted + rejected > 0) {
      log.info('items were pulled', { ...facts, ...counts });
    }
  }

  const looks = startChore({
    log,
    clock,
    words: { failed: 'pull sources cannot be claimed', over: 'pull sources are claimed again' },
    everyMs,
    retryMs: everyMs,
    turn: beginDue,
  });

  return {
    name: 'pull',
    look: () => looks.ring(),
    health(): Health {
      if (looks.failures() >= 3) return { ok: false, reason: 'cannot claim pull sources' };
      return healthy;
    },
    async stop() {
      stopping.abort();
      await looks.stop();
      const late = Promise.withResolvers<void>();
      const callOff = clock.after(drainMs, () => late.resolve());
      await Promise.race([Promise.all(underWay.keys()), late.promise]);
      callOff();
    },
  };
}
