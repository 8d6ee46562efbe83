import { figure } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { costOf, type DispatchCost } from '../outrider/cost.ts';
import { type Dispatcher, openDispatcher } from '../outrider/dispatcher.ts';
import { makePast } from '../outrider/past.ts';
import { addBacklog, openAdmin, workspace } from '../outrider/workload.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const batchSize = 500;
/** Batches at the beginning of each repetition, in which both connections make their plans. */
const unmeasured = 2;

/** What a claim and a commit cost in one repetition: with nothing sent before, and with a past. */
interface Comparison {
  readonly empty: DispatchCost;
  readonly past: DispatchCost;
}

export const history: Scenario = {
  name: 'history',
  question: 'What does a claim cost with many deliveries sent before, against none?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions, past } = bench.options;
    const emptyTemplate = await makePast(store, 0, bench);
    const pastUrl = await makePast(store, past, bench);
    const series: Comparison[] = [];
    while (series.length < repetitions) {
      const emptyUrl = await store.createDatabase(emptyTemplate);
      const found = await compare(emptyUrl, pastUrl, store, bench.options.jobs);
      await store.dropDatabase(emptyUrl);
      series.push(found);
      const micros = `${figure(found.empty.claimMicros)} and ${figure(found.past.claimMicros)} µs`;
      bench.progress(`${series.length}/${repetitions}: ${micros} per claimed delivery`);
    }
    for (const url of [emptyTemplate, pastUrl]) await store.dropDatabase(url);
    return findingsOf(series, past);
  },
};

/** The two take turns batch by batch, so whatever slows the machine down slows both. */
async function compare(
  emptyUrl: string,
  pastUrl: string,
  store: Store,
  jobs: number,
): Promise<Comparison> {
  const urls = [emptyUrl, pastUrl];
  for (const url of urls) await refill(url, store, jobs);
  const dispatchers = await Promise.all(urls.map(openDispatcher));
  const costs = await interleave(dispatchers, Math.ceil(jobs / batchSize), costOfStep);
  for (const dispatcher of dispatchers) {
    await dispatcher.drain(workspace, batchSize); // a claim may give less than a batch
    await dispatcher.close();
  }
  const [empty, past] = dispatchers.map((each) => middleOf(costs.get(each) ?? []));
  if (empty === undefined || past === undefined) throw new Error('a dispatcher is missing');
  return { empty, past };
}

/** What the repetition before has left is vacuumed first, as by autovacuum: only one of the two databases has it. */
async function refill(url: string, store: Store, jobs: number): Promise<void> {
  const admin = await openAdmin(url);
  await admin.query('vacuum');
  await addBacklog(admin, workspace, jobs);
  await admin.end();
  await store.settle(url, true);
}

function costOfStep(dispatcher: Dispatcher): Promise<DispatchCost> {
  return costOf(dispatcher, () => dispatcher.step(workspace, batchSize));
}

function middleOf(costs: readonly DispatchCost[]): DispatchCost {
  const measured = costs.slice(unmeasured);
  return {
    claimMicros: median(measured.map((cost) => cost.claimMicros)),
    commitMicros: median(measured.map((cost) => cost.commitMicros)),
  };
}

function row(title: string, costs: readonly DispatchCost[]): string[] {
  const claim = median(costs.map((cost) => cost.claimMicros));
  const commit = median(costs.map((cost) => cost.commitMicros));
  return [title, figure(claim), figure(commit)];
}

function findingsOf(series: readonly Comparison[], past: number): Findings {
  const empty = series.map((each) => each.empty);
  const full = series.map((each) => each.past);
  const sent = past.toLocaleString('en');
  return {
    tables: [
      {
        title: `PostgreSQL CPU for one delivery, median, batches of ${batchSize}`,
        columns: ['on', 'claim µs', 'commit µs'],
        rows: [row('empty tables', empty), row(`${sent} sent`, full)],
      },
    ],
    verdicts: [
      {
        target: `claim cost with ${sent} sent rows ≤ 1.15 × that on empty tables`,
        bound: { atMost: 1.15 },
        measured: median(
          ratios(
            full.map((cost) => cost.claimMicros),
            empty.map((cost) => cost.claimMicros),
          ),
        ),
      },
    ],
    raw: { past, series },
    contenders: { outrider: { batchSize, past } },
    stores: ['postgres'],
  };
}
