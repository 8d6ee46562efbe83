import { figure } from '../figures.ts';
import { interleave } from '../interleave.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { outriderOutbox } from '../outbox/outrider.ts';
import { bestSettings, pgTransactionalOutbox } from '../outbox/pg-transactional-outbox.ts';
import { measureThroughput } from '../outbox/throughput.ts';
import { topicKinds } from '../outbox/topic.ts';
import type { Scenario } from '../scenario.ts';
import { throughputTable } from './publish.ts';

const variants: readonly Outbox[] = [
  ...[50, 100, 250, 500, 1000].map((batchSize) => outriderOutbox({ batchSize, order: 'none' })),
  ...[100, 500, 1000, 2000, 4000].map((batchSize) =>
    pgTransactionalOutbox({ ...bestSettings, batchSize }),
  ),
  ...[10, 20, 80].map((connections) => pgTransactionalOutbox({ ...bestSettings, connections })),
];

/** How the settings of the outboxes were found; run it again on a machine of another kind. */
export const publishSweep: Scenario = {
  name: 'publish-sweep',
  question: 'With which settings does each outbox publish fastest?',
  async run(bench) {
    const { jobs, repetitions } = bench.options;
    const pairings = topicKinds.flatMap((kind) =>
      variants.map((outbox) => ({ outbox: { ...outbox, name: nameOf(outbox) }, kind })),
    );
    const measured = await interleave(
      pairings,
      repetitions,
      async ({ outbox, kind }, repetition) => {
        const found = await measureThroughput(outbox, bench.stores, kind, Math.min(jobs, 20_000));
        const rate = figure(found.eventsPerSecond);
        bench.progress(
          `${repetition + 1}/${repetitions} ${outbox.name} on ${kind}: ${rate} events/s`,
        );
        return found;
      },
    );
    return {
      tables: topicKinds.map((kind) => throughputTable(measured, kind)),
      verdicts: [],
      raw: [...measured].map(([{ outbox, kind }, found]) => ({ outbox: outbox.name, kind, found })),
      stores: ['postgres', ...topicKinds],
      contenders: {},
    };
  },
};

function nameOf({ name, settings }: Outbox): string {
  const swept = ['batchSize', 'connections'].filter((key) => key in settings);
  return [name, ...swept.map((key) => `${key}=${JSON.stringify(settings[key])}`)].join(' ');
}
