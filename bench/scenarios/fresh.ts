import { figure } from '../figures.ts';
import { costOf, type DispatchCost } from '../outrider/cost.ts';
import { type Dispatcher, openDispatcher } from '../outrider/dispatcher.ts';
import { withoutAutovacuum } from '../outrider/without-autovacuum.ts';
import {
  type Admin,
  addBacklog,
  channelCount,
  installOutrider,
  workspace,
} from '../outrider/workload.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const windowCount = 10;
const messagesPerWindow = 500;
const messagesPerStep = 50;
const batchSize = 500;

interface Course {
  /** Ten windows of 500 messages, on one connection that found the tables empty and without statistics. */
  readonly windows: readonly DispatchCost[];
  /** One more, after `analyze`, on a new connection: what good plans cost at that size. */
  readonly analysed: DispatchCost;
}

export const fresh: Scenario = {
  name: 'fresh',
  question: 'Do plans made on a fresh database without statistics stay good for 5,000 messages?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const courses: Course[] = [];
    for (let repetition = 0; repetition < bench.options.repetitions; repetition += 1) {
      courses.push(await runCourse(store, bench, repetition));
    }
    return {
      tables: [courseTable(courses)],
      verdicts: [
        {
          target: 'messages 4,501–5,000 cost ≤ 1.15 × as much as after analyze on a new connection',
          bound: { atMost: 1.15 },
          measured: median(
            courses.map(({ windows, analysed }) => lastOf(windows) / total(analysed)),
          ),
        },
        {
          target: 'messages 4,501–5,000 cost ≤ 1.15 × as much as messages 501–1,000',
          bound: { atMost: 1.15 },
          measured: median(courses.map(({ windows }) => lastOf(windows) / total(windows[1]))),
        },
      ],
      raw: courses,
    };
  },
};

async function runCourse(store: Store, bench: Bench, repetition: number): Promise<Course> {
  const url = await store.createDatabase();
  const admin = await installOutrider(url);
  await admin.query(withoutAutovacuum);
  const dispatcher = await openDispatcher(url);
  const course: DispatchCost[] = [];
  for (let window = 0; window < windowCount; window += 1) {
    course.push(await runWindow(admin, dispatcher));
    const cost = figure(total(course[window]));
    bench.progress(
      `${repetition + 1}/${bench.options.repetitions} window ${window + 1}: ${cost} µs`,
    );
  }
  await dispatcher.close();

  await store.settle(url, true);
  const informed = await openDispatcher(url);
  const analysed = await runWindow(admin, informed);
  await informed.close();
  await admin.end();
  await store.dropDatabase(url);
  return { windows: course, analysed };
}

async function runWindow(admin: Admin, dispatcher: Dispatcher): Promise<DispatchCost> {
  return costOf(dispatcher, async () => {
    let sent = 0;
    for (let messages = 0; messages < messagesPerWindow; messages += messagesPerStep) {
      await addBacklog(admin, workspace, messagesPerStep * channelCount);
      sent += await dispatcher.drain(workspace, batchSize);
    }
    return sent;
  });
}

function courseTable(courses: readonly Course[]): Findings['tables'][number] {
  const counted = Array.from({ length: windowCount }, (_, window) => {
    const title = `messages ${window * messagesPerWindow + 1}–${(window + 1) * messagesPerWindow}`;
    return rowOf(
      title,
      courses.map((course) => course.windows[window]),
    );
  });
  return {
    title: `PostgreSQL CPU for one delivery, median, batches of ${batchSize}`,
    columns: ['window', 'claim µs', 'commit µs'],
    rows: [
      ...counted,
      rowOf(
        'after analyze',
        courses.map((course) => course.analysed),
      ),
    ],
  };
}

function lastOf(costs: readonly DispatchCost[]): number {
  return total(costs.at(-1));
}

function total(cost: DispatchCost | undefined): number {
  return cost === undefined ? Number.NaN : cost.claimMicros + cost.commitMicros;
}

function rowOf(title: string, costs: readonly (DispatchCost | undefined)[]): string[] {
  return [
    title,
    figure(median(costs.map((cost) => cost?.claimMicros ?? Number.NaN))),
    figure(median(costs.map((cost) => cost?.commitMicros ?? Number.NaN))),
  ];
}
