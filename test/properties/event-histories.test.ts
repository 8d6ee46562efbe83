import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries, releaseClaims } from '../../src/db/claim.ts';
import { commitOutcomes, commitSent, type Outcome } from '../../src/db/commit.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { addChannel, addNewWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { allSent, failed, sent } from '../support/queue/outcomes.ts';

// Any story of posts, claims and endings, beside a model that writes each event down as a row of its own.

const database = await useDatabase();

const endings = ['plain', 'plain', 'outcome', 'detailed', 'failed', 'refused', 'released'] as const;
type Ending = (typeof endings)[number];
type Step =
  | { readonly kind: 'post' | 'recover' | 'requeue' }
  | { readonly kind: 'claim'; readonly limit: number }
  | { readonly kind: 'end'; readonly how: readonly Ending[] };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('post' as const, 'recover' as const, 'requeue' as const) }),
  fc.record({ kind: fc.constant('post' as const) }),
  fc.record({ kind: fc.constant('claim' as const), limit: fc.constantFrom(1, 2, 5) }),
  fc.record({
    kind: fc.constant('end' as const),
    how: fc.array(fc.constantFrom(...endings), { minLength: 1, maxLength: 4 }),
  }),
);

const Event = z.object({
  delivery_id: z.string(),
  action: z.string(),
  attempt: z.number(),
  meta: z.record(z.string(), z.unknown()),
});

type Event = z.output<typeof Event>;

class Story {
  readonly expected: Event[] = [];
  #clock = 0;
  #posts = 0;
  #held: ClaimedDelivery[] = [];
  #ended: string[] = [];
  readonly #workspaceId: string;

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId;
  }

  async take(step: Step): Promise<void> {
    this.#clock += step.kind === 'recover' ? 31 : 20;
    if (step.kind === 'post') return this.#post();
    if (step.kind === 'claim') return this.#claim(step.limit);
    if (step.kind === 'end') return this.#end(step.how);
    return step.kind === 'recover' ? this.#recover() : this.#requeue();
  }

  #note(delivery_id: string, action: string, attempt: number, meta: Event['meta'] = {}): void {
    this.expected.push({ delivery_id, action, attempt, meta });
  }

  async #post(): Promise<void> {
    this.#posts += 1;
    const text = `Lost: dog number ${this.#posts}`;
    const post = { text, trace_id: `trace-${this.#posts}` };
    const { runId, channels } = await take(database.service, this.#workspaceId, post, this.#now());
    const meta = { trace_id: post.trace_id, run_id: runId };
    for (const each of channels) {
      if (each.verdict !== 'queued') throw new Error('a post was not queued');
      this.#note(each.deliveryId, 'enqueue', 0, meta);
    }
  }

  async #claim(limit: number): Promise<void> {
    const request = { workspaceId: this.#workspaceId, runId: `run-${this.#clock}`, limit };
    for (const claimed of await claimDeliveries(database.service, request, this.#now())) {
      this.#held.push(claimed);
      const { deliveryId, attempt, traceId } = claimed;
      const meta = { trace_id: traceId, run_id: request.runId, idempotency_key: deliveryId };
      this.#note(deliveryId, 'send_attempt', attempt, meta);
    }
  }

  async #end(how: readonly Ending[]): Promise<void> {
    const ends = this.#held.splice(0, how.length).map((held, n) => ({ held, how: how[n] }));
    const of = (...kinds: readonly Ending[]): ClaimedDelivery[] =>
      ends.flatMap((each) => (each.how && kinds.includes(each.how) ? [each.held] : []));
    const plain = of('plain');
    if (plain.length > 0) {
      await commitSent(database.service, this.#workspaceId, allSent(plain), this.#now());
    }
    const outcomes: Outcome[] = [
      ...of('outcome').map((each) => sent(each)),
      ...of('detailed').map((each) => ({ ...sent(each), meta: { seen: true } })),
      ...of('failed').map((each) => failed(each)),
      ...of('refused').map((each) => failed(each, { category: 'PERMANENT' })),
    ];
    const verdicts =
      outcomes.length === 0
        ? []
        : await commitOutcomes(database.service, this.#workspaceId, outcomes, this.#now());
    for (const { deliveryId, claimToken, attempt } of of('released')) {
      const claim = { workspaceId: this.#workspaceId, claimToken, deliveryIds: [deliveryId] };
      await releaseClaims(database.service, claim, this.#now());
      this.#note(deliveryId, 'claim_released', attempt);
    }
    for (const { deliveryId, attempt, traceId } of of('plain', 'outcome', 'detailed')) {
      const detailed = of('detailed').some((each) => each.deliveryId === deliveryId);
      const meta = { trace_id: traceId, provider_message_id: `id-${deliveryId}` };
      this.#note(deliveryId, 'sent', attempt, detailed ? { ...meta, raw: { seen: true } } : meta);
    }
    const actions = {
      retry: 'retry_scheduled',
      dead: 'dead_letter',
      failed_permanent: 'failed_permanent',
    };
    for (const { deliveryId, attempt } of of('failed', 'refused')) {
      const became = verdicts.find((each) => each.deliveryId === deliveryId)?.became;
      if (!became || became === 'sent') throw new Error('a failure was not recorded');
      this.#note(deliveryId, actions[became], attempt);
      if (became !== 'retry') this.#ended.push(deliveryId);
    }
  }

  async #recover(): Promise<void> {
    const recovered = await recoverLeases(database.service, this.#workspaceId, this.#now());
    for (const { deliveryId, became } of recovered) {
      const held = this.#held.find((each) => each.deliveryId === deliveryId);
      if (held === undefined) throw new Error('what nobody held was recovered');
      this.#held = this.#held.filter((each) => each !== held);
      this.#note(deliveryId, 'sending_lease_expired', held.attempt);
      if (became !== 'dead') continue;
      this.#note(deliveryId, 'dead_letter', held.attempt);
      this.#ended.push(deliveryId);
    }
  }

  async #requeue(): Promise<void> {
    const deliveryIds = this.#ended.splice(0);
    if (deliveryIds.length === 0) return;
    const order = { operator: 'ann', reason: 'again' };
    const request = { workspaceId: this.#workspaceId, deliveryIds, ...order };
    await requeueDeliveries(database.service, request, this.#now());
    for (const id of deliveryIds) this.#note(id, 'manual_requeue', this.#lastAttemptOf(id));
  }

  #lastAttemptOf(deliveryId: string): number {
    const own = this.expected.filter((each) => each.delivery_id === deliveryId);
    return Math.max(...own.map((each) => each.attempt));
  }

  #now(): string {
    return after(this.#clock);
  }
}

/** Packed events in full; of the others the meta has more than a story knows. */
function known(event: Event): Event {
  const packed = ['enqueue', 'send_attempt', 'sent'].includes(event.action);
  return packed ? event : { ...event, meta: {} };
}

function inOrder(events: readonly Event[]): Event[] {
  const key = (each: Event): string => `${each.delivery_id} ${each.attempt} ${each.action}`;
  return events.map(known).toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

describe('outrider.events', () => {
  it('shows each event of a delivery as a row of its own, whatever happened', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (steps) => {
        const settings = { max_attempts: 2, backoff_jitter: 0 };
        const workspaceId = await addNewWorkspace(database, settings);
        for (const id of ['news', 'sports']) await addChannel(database.admin, workspaceId, id);
        const story = new Story(workspaceId);
        for (const step of steps) await story.take(step);

        const ask = (rest: string, values: unknown[]): Promise<Event[]> =>
          queryRows(
            database.admin,
            Event,
            `select delivery_id, action::text, attempt, meta from outrider.events where ${rest}`,
            values,
          );
        const expected = inOrder(story.expected);
        const byTime = await ask('workspace_id = $1 and delivery_id is not null', [workspaceId]);
        expect(inOrder(byTime)).toEqual(expected);
        for (const id of new Set(expected.map((each) => each.delivery_id))) {
          const own = await ask('delivery_id = $1', [id]);
          expect(inOrder(own)).toEqual(expected.filter((each) => each.delivery_id === id));
        }
      }),
      { numRuns: 40 },
    );
  });
});
