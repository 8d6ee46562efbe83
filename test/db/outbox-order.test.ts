import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PublishOrder } from '../../src/db/outbox.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { publishAll } from '../support/outbox/outbox-events.ts';
import {
  expectedBatch,
  isDue,
  linesOf,
  type ModelEvent,
  OutboxRun,
  type Step,
} from '../support/outbox/outbox-model.ts';

const database = await useDatabase();

const aggregate = fc.integer({ min: 1, max: 3 });
const publisher = fc.integer({ min: 0, max: 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ does: fc.constant('emit' as const), aggregate }) },
    {
      weight: 2,
      arbitrary: fc.record({ does: fc.constant('emit and commit later' as const), aggregate }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constantFrom('commit' as const, 'commit' as const, 'roll back' as const),
        late: fc.integer({ min: 0, max: 1 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('fetch' as const),
        publisher,
        limit: fc.integer({ min: 1, max: 7 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('finish' as const),
        publisher,
        good: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ does: fc.constant('give up the transaction' as const), publisher }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        does: fc.constant('wait' as const),
        seconds: fc.integer({ min: 0, max: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('replay' as const) }) },
  ),
  { minLength: 10, maxLength: 60 },
);

/** Runs the steps on the database and on the model; in the end everything that was committed is published. */
async function holds(
  order: PublishOrder,
  judge: (run: OutboxRun, batch: readonly ModelEvent[], limit: number) => void,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (each) => {
      await publishAll(database.admin);
      const run = new OutboxRun(database.admin, order, judge);
      try {
        for (const step of each) await run.take(step);
        await run.drain();
        expect(run.waiting).toEqual([]);
      } finally {
        await run.close();
      }
    }),
    { numRuns: 100 },
  );
}

describe('whatever happens, a fetch', () => {
  it('without the order gives just the batch that the rules say', async () => {
    await holds('none', (run, batch, limit) => {
      expect(batch).toEqual(expectedBatch(run.waiting, limit, run.now));
    });
  }, 300_000);

  it('in the order of aggregates gives what may go, and nothing before its time', async () => {
    await holds('aggregate', (run, batch, limit) => {
      expect(batch.length).toBeLessThanOrEqual(limit);
      expect(batch.filter((event) => event.isPublished || event.holder !== null)).toEqual([]);
      expect(batch.filter((event) => !isDue(event, run.now))).toEqual([]);
      const lines = linesOf(run.waiting);
      for (const line of lines) {
        const taken = line.filter((event) => batch.includes(event));
        expect(taken).toEqual(line.slice(0, taken.length));
      }
      // Nothing that may go is left behind when there is room: the first of each aggregate, and the untried ones
      // that follow an untried one.
      if (!run.isAlone || batch.length === limit) return;
      const mayGo = lines.flatMap((line) => prefixOf(line, run.now));
      expect(batch).toEqual(expect.arrayContaining(mayGo));
    });
  }, 300_000);
});

function prefixOf(line: readonly ModelEvent[], now: number): ModelEvent[] {
  const [head] = line;
  if (head === undefined || !isDue(head, now) || head.wasAside) return [];
  if (head.notBefore !== null) return [head];
  const end = line.findIndex((event) => event.notBefore !== null);
  return line.slice(0, end === -1 ? line.length : end);
}
