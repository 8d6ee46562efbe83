import { figure } from '../figures.ts';
import { onePost, openTaker, type PreparedTaker } from '../intake/taker.ts';
import { interleave } from '../interleave.ts';
import { withoutAutovacuum } from '../outrider/without-autovacuum.ts';
import { installOutrider } from '../outrider/workload.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, ratios } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const windowCount = 10;
const messagesPerWindow = 500;
const widths = [40, 1_000];
const deliveriesPerWidth = 40_000;

/** What intake costs as a fresh database fills, and as a workspace grows wide. */
export const intake: Scenario = {
  name: 'intake',
  question:
    'Does taking a post in cost the same after 5,000 messages without statistics, and with 1,000 channels?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions } = bench.options;
    const courses: number[][] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      courses.push(await fill(store, bench, repetition));
    }
    const byWidth = await interleave(widths, repetitions, async (width, repetition) => {
      const micros = await costAt(width, store);
      bench.progress(`${repetition + 1}/${repetitions} ${width} channels: ${figure(micros)} µs`);
      return micros;
    });
    return findingsOf(courses, byWidth);
  },
};

/** µs of PostgreSQL for one delivery, in windows of 500 messages, on one connection. */
async function fill(store: Store, bench: Bench, repetition: number): Promise<number[]> {
  const url = await store.createDatabase();
  const admin = await installOutrider(url);
  await admin.query(withoutAutovacuum);
  await admin.end();
  const taker = await openTaker(url);
  const course: number[] = [];
  for (let window = 0; window < windowCount; window += 1) {
    const first = window * messagesPerWindow;
    course.push(await costOf(taker, store, first, messagesPerWindow, onePost.rowsPerCall));
    bench.progress(
      `${repetition + 1}/${bench.options.repetitions} window ${window + 1}: ${figure(course[window] ?? 0)} µs`,
    );
  }
  await taker.close();
  await store.dropDatabase(url);
  return course;
}

async function costAt(width: number, store: Store): Promise<number> {
  const url = await store.createDatabase();
  const admin = await installOutrider(url, width);
  await admin.end();
  const taker = await openTaker(url);
  try {
    const messages = deliveriesPerWidth / width;
    await costOf(taker, store, 0, messages, width);
    await store.settle(url, true);
    return await costOf(taker, store, messages, messages, width);
  } finally {
    await taker.close();
    await store.dropDatabase(url);
  }
}

async function costOf(
  taker: PreparedTaker,
  store: Store,
  first: number,
  messages: number,
  deliveriesEach: number,
): Promise<number> {
  const before = store.cpuMicros();
  for (let n = 0; n < messages; n += 1) await taker.call(first + n);
  return (store.cpuMicros() - before) / (messages * deliveriesEach);
}

function findingsOf(
  courses: readonly (readonly number[])[],
  byWidth: ReadonlyMap<number, readonly number[]>,
): Findings {
  const windowOf = (window: number): number[] => courses.map((course) => course[window] ?? NaN);
  const [narrow, wide] = widths.map((width) => byWidth.get(width) ?? []);
  return {
    tables: [
      {
        title: 'PostgreSQL CPU for one delivery, median, a post to 40 channels per call',
        columns: ['window', 'µs'],
        rows: Array.from({ length: windowCount }, (_, window) => [
          `messages ${window * messagesPerWindow + 1}–${(window + 1) * messagesPerWindow}`,
          figure(median(windowOf(window))),
        ]),
      },
      {
        title: 'PostgreSQL CPU for one delivery, median, by the width of the workspace',
        columns: ['channels', 'µs'],
        rows: [...byWidth].map(([width, costs]) => [String(width), figure(median(costs))]),
      },
    ],
    verdicts: [
      {
        target: 'messages 4,501–5,000 cost ≤ 1.15 × as much as messages 501–1,000',
        bound: { atMost: 1.15 },
        measured: median(ratios(windowOf(windowCount - 1), windowOf(1))),
      },
      {
        target: 'a delivery of 1,000 channels costs ≤ 1.3 × one of 40',
        bound: { atMost: 1.3 },
        measured: median(ratios(wide ?? [], narrow ?? [])),
      },
    ],
    raw: { courses, byWidth: Object.fromEntries(byWidth) },
  };
}
