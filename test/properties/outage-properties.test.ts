import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ClaimedDelivery } from '../../src/db/claim.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { GroupOutage, ill } from '../support/queue/group-outage.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// Any story of claims, answers and time that passes, beside a model of the group that knows nothing of SQL.

const database = await useDatabase();

type Ending = 'sent' | 'ill' | 'refused';
type Step =
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'claim'; readonly limit: number }
  | { readonly kind: 'end'; readonly which: number; readonly how: Ending };

interface Send {
  readonly delivery: ClaimedDelivery;
  readonly begun: number;
}

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      seconds: fc.constantFrom(1, 10, 30, 90, 700),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('claim' as const), limit: fc.constantFrom(1, 3, 8) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(7),
      how: fc.constantFrom<Ending>('sent', 'ill', 'ill', 'ill', 'ill', 'refused'),
    }),
  },
);

/** What a group should be: its streak, and its outage if that is long enough. Times are seconds. */
class Model {
  streak: string[] = [];
  outage: { since: number; until: number } | undefined;
  #openedAt = Number.NEGATIVE_INFINITY;
  readonly #enough: number;

  constructor(channels: number) {
    this.#enough = Math.max(2, Math.min(3, channels));
  }

  end({ delivery, begun }: Send, how: Ending, now: number): void {
    if (how === 'refused') return;
    if (how === 'sent') {
      if (this.outage !== undefined) this.#openedAt = now;
      this.streak = [];
      this.outage = undefined;
      return;
    }
    if (begun < this.#openedAt) return;
    const { channelId } = delivery.channel;
    this.streak = [...this.streak.filter((each) => each !== channelId), channelId];
    if (this.outage === undefined) {
      if (this.streak.length >= this.#enough) this.outage = { since: now, until: now + 30 };
    } else if (begun >= this.outage.until) {
      const { since } = this.outage;
      this.outage = { since, until: now + Math.min(600, 30 + now - since) };
    }
  }

  /** The most that a claim may give out. */
  atMost(now: number, underWay: number, limit: number): number {
    if (this.outage === undefined) return limit;
    return now < this.outage.until || underWay > 0 ? 0 : 1;
  }
}

/** Plays a story on the database and the model; the first thing in which they differ ends it. */
class Story {
  #now = 0;
  readonly #sends: Send[] = [];
  readonly #model: Model;
  readonly #group: GroupOutage;

  constructor(group: GroupOutage, channels: number) {
    this.#group = group;
    this.#model = new Model(channels);
  }

  async play(steps: readonly Step[]): Promise<string | undefined> {
    for (const step of steps) {
      const fault = (await this.#take(step)) ?? (await this.#difference());
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  async #take(step: Step): Promise<string | undefined> {
    if (step.kind === 'claim') return this.#claim(step.limit);
    if (step.kind === 'end') await this.#end(step.which, step.how);
    else this.#now += step.seconds;
    return undefined;
  }

  async #claim(limit: number): Promise<string | undefined> {
    const recent = this.#sends.filter(({ begun }) => begun > this.#now - 600);
    const atMost = this.#model.atMost(this.#now, recent.length, limit);
    let given: ClaimedDelivery[] = [];
    // A claim may only give slots ahead, or take missed ones back; but not again and again.
    for (let calls = 0; given.length === 0 && (await this.#isDue()); calls += 1) {
      if (calls === 20) return 'it is due and gives nothing';
      given = await this.#group.claim(after(this.#now), limit);
    }
    if (given.length === 0) {
      const unforeseen = await this.#group.claim(after(this.#now), limit);
      if (unforeseen.length > 0) return 'it is not due and gives something';
    }
    this.#sends.push(...given.map((delivery) => ({ delivery, begun: this.#now })));
    return given.length > atMost ? `it gives ${given.length}, not ${atMost} at most` : undefined;
  }

  async #end(which: number, how: Ending): Promise<void> {
    const [send] = this.#sends.splice(which % Math.max(1, this.#sends.length), 1);
    if (send === undefined) return;
    const { delivery } = send;
    const refusal = { category: 'PERMANENT', code: '400' } as const;
    const outcome =
      how === 'sent' ? sent(delivery) : failed(delivery, how === 'ill' ? ill : refusal);
    await this.#group.commit([outcome], after(this.#now));
    this.#model.end(send, how, this.#now);
  }

  /** Whether a dispatcher would claim now. */
  async #isDue(): Promise<boolean> {
    const { due } = await queryRow(
      database.admin,
      z.object({ due: z.boolean().nullable() }),
      'select outrider.workspace_due_at($1) <= $2 as due',
      [this.#group.workspaceId, after(this.#now)],
    );
    return due === true;
  }

  async #difference(): Promise<string | undefined> {
    const { streak, outage } = this.#model;
    const shown = (seconds: number | undefined): string | null =>
      seconds === undefined ? null : after(seconds).slice(11, 19);
    const times = { since: shown(outage?.since), until: shown(outage?.until) };
    const expected = streak.length === 0 ? undefined : { channels: streak, ...times };
    const found = await this.#group.streak();
    if (isDeepStrictEqual(found, expected)) return undefined;
    return `it is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
  }
}

describe('a rate group', () => {
  it('rests, is probed and opens as its model does, gives no more out, and is due only when it gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(null, 0.2, 5),
        fc.array(anyStep, { minLength: 10, maxLength: 60 }),
        async (channels, rateRps, steps) => {
          const group = await GroupOutage.open(database, database.newWorkspaceId(), []);
          for (let n = 1; n <= channels; n += 1) {
            const rate_rps = n % 2 === 0 ? rateRps : null;
            await group.addChannel(`c${n}`, { rate_rps, max_parallel: 2 });
          }
          expect(await new Story(group, channels).play(steps)).toBeUndefined();
        },
      ),
      { numRuns: 40, seed: 20_261_117, endOnFailure: true },
    );
  }, 120_000);
});
