import { figure } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { type Dispatcher, openDispatcher } from '../outrider/dispatcher.ts';
import { type Admin, addBacklog, addWorkspaces, installOutrider } from '../outrider/workload.ts';
import type { Scenario } from '../scenario.ts';
import { median, ratios } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const active = Array.from({ length: 10 }, (_, index) => `active-${index}`);
const idleCount = 10_000;
const channels = 4;
const deliveriesPerWorkspace = 40;
const rounds = 100;

/** Medians of the rounds of one repetition. */
interface RoundCost {
  /** CPU of PostgreSQL for one round, µs. */
  readonly cpuMicros: number;
  /** Wall time of one round, ms. */
  readonly milliseconds: number;
}

/** A system that is ready for rounds. */
interface Ground {
  readonly url: string;
  readonly admin: Admin;
  readonly dispatcher: Dispatcher;
}

export const idle: Scenario = {
  name: 'idle',
  question: 'What do 10,000 workspaces without work add to a round over 10 that have some?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions } = bench.options;
    const alone: RoundCost[] = [];
    const crowd: RoundCost[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const found = await compare(store);
      alone.push(found.alone);
      crowd.push(found.crowd);
      const figures = `${figure(found.alone.cpuMicros)} and ${figure(found.crowd.cpuMicros)} µs`;
      bench.progress(`${repetition + 1}/${repetitions}: ${figures} a round`);
    }
    return {
      tables: [
        {
          title: `One dispatcher round, medians, ${deliveriesPerWorkspace} deliveries in each active workspace`,
          columns: ['idle workspaces', 'PostgreSQL CPU µs', 'ms'],
          rows: [row(0, alone), row(idleCount, crowd)],
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

/** The two take turns round by round, so whatever slows the machine down slows both. */
async function compare(store: Store): Promise<{ alone: RoundCost; crowd: RoundCost }> {
  const grounds = [await prepare(store, 0), await prepare(store, idleCount)];
  const costs = await interleave(grounds, rounds, costOfRound);
  for (const { dispatcher, admin, url } of grounds) {
    await dispatcher.close();
    await admin.end();
    await store.dropDatabase(url);
  }
  const [alone, crowd] = grounds.map((ground) => middleOf(costs.get(ground) ?? []));
  if (alone === undefined || crowd === undefined) throw new Error('a system is missing');
  return { alone, crowd };
}

async function prepare(store: Store, others: number): Promise<Ground> {
  const url = await store.createDatabase();
  const admin = await installOutrider(url);
  const idleIds = Array.from({ length: others }, (_, index) => `idle-${index}`);
  await addWorkspaces(admin, [...active, ...idleIds], channels);
  await sendOnce(admin, url); // plans and statistics of a live system, not of empty tables
  await store.settle(url, true);
  return { url, admin, dispatcher: await openDispatcher(url) };
}

async function costOfRound({ admin, dispatcher }: Ground): Promise<RoundCost> {
  for (const workspaceId of active) await addBacklog(admin, workspaceId, deliveriesPerWorkspace);
  const before = dispatcher.cpu();
  const startedAt = performance.now();
  const sent = await dispatcher.round(active.length, deliveriesPerWorkspace);
  const milliseconds = performance.now() - startedAt;
  const after = dispatcher.cpu();
  const due = active.length * deliveriesPerWorkspace;
  if (sent !== due) throw new Error(`a round sent ${sent} of ${due}`);
  const cpuMicros =
    after.claimMicros - before.claimMicros + after.commitMicros - before.commitMicros;
  return { cpuMicros, milliseconds };
}

function middleOf(costs: readonly RoundCost[]): RoundCost {
  return {
    cpuMicros: median(costs.map((cost) => cost.cpuMicros)),
    milliseconds: median(costs.map((cost) => cost.milliseconds)),
  };
}

function row(others: number, costs: readonly RoundCost[]): string[] {
  const { cpuMicros, milliseconds } = middleOf(costs);
  return [others.toLocaleString('en'), figure(cpuMicros), figure(milliseconds)];
}
