import { figure } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { openDispatcher } from '../outrider/dispatcher.ts';
import { type Admin, addBacklog, addWorkspaces, installOutrider } from '../outrider/workload.ts';
import type { Scenario } from '../scenario.ts';
import { median, ratios } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const active = Array.from({ length: 10 }, (_, index) => `active-${index}`);
const idleCount = 10_000;
const channels = 4;
const deliveriesPerWorkspace = 40;
const rounds = 100;

interface RoundCost {
  /** CPU of PostgreSQL for one round, µs. */
  readonly cpuMicros: number;
  /** Median of the wall time of one round, ms. */
  readonly milliseconds: number;
}

export const idle: Scenario = {
  name: 'idle',
  question: 'What do 10,000 workspaces without work add to a round over 10 that have some?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions } = bench.options;
    const measured = await interleave([0, idleCount], repetitions, async (others, repetition) => {
      const cost = await costOfRound(store, others);
      const micros = figure(cost.cpuMicros);
      bench.progress(`${repetition + 1}/${repetitions} ${others} idle: ${micros} µs a round`);
      return cost;
    });
    const [alone = [], crowd = []] = measured.values();
    return {
      tables: [
        {
          title: `One dispatcher round, medians, ${deliveriesPerWorkspace} deliveries in each active workspace`,
          columns: ['idle workspaces', 'PostgreSQL CPU µs', 'ms'],
          rows: [...measured].map(([others, costs]) => [
            others.toLocaleString('en'),
            figure(median(costs.map((cost) => cost.cpuMicros))),
            figure(median(costs.map((cost) => cost.milliseconds))),
          ]),
        },
      ],
      verdicts: [
        {
          target: '10,000 idle workspaces add < 5 % to a dispatcher round (CPU)',
          bound: { atMost: 1.05 },
          measured: median(
            ratios(
              crowd.map((cost) => cost.cpuMicros),
              alone.map((cost) => cost.cpuMicros),
            ),
          ),
        },
      ],
      raw: { alone, crowd },
    };
  },
};

async function sendOnce(admin: Admin, url: string): Promise<void> {
  const dispatcher = await openDispatcher(url);
  for (const workspaceId of active)
    await addBacklog(admin, workspaceId, 100 * deliveriesPerWorkspace);
  for (const workspaceId of active) await dispatcher.drain(workspaceId, 500);
  await dispatcher.close();
}

async function costOfRound(store: Store, others: number): Promise<RoundCost> {
  const url = await store.createDatabase();
  const admin = await installOutrider(url);
  const idleIds = Array.from({ length: others }, (_, index) => `idle-${index}`);
  await addWorkspaces(admin, [...active, ...idleIds], channels);
  await sendOnce(admin, url); // plans and statistics of a live system, not of empty tables
  await store.settle(url, true);
  const dispatcher = await openDispatcher(url);
  const durations: number[] = [];
  const before = dispatcher.cpu();
  for (let round = 0; round < rounds; round += 1) {
    for (const workspaceId of active) await addBacklog(admin, workspaceId, deliveriesPerWorkspace);
    const startedAt = performance.now();
    const sent = await dispatcher.round(active.length, deliveriesPerWorkspace);
    durations.push(performance.now() - startedAt);
    const due = active.length * deliveriesPerWorkspace;
    if (sent !== due) throw new Error(`a round sent ${sent} of ${due}`);
  }
  const after = dispatcher.cpu();
  await dispatcher.close();
  await admin.end();
  await store.dropDatabase(url);
  const spent = after.claimMicros - before.claimMicros + after.commitMicros - before.commitMicros;
  return { cpuMicros: spent / rounds, milliseconds: median(durations) };
}
