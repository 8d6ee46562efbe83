// The entry of `make bench`: starts the servers, runs the scenarios, prints and keeps what was measured.

import { allContenders } from './contenders/all.ts';
import { describeMachine } from './machine.ts';
import { isChosen, type Options, parseOptions, UsageError, usage } from './options.ts';
import { type Circumstances, keepFindings, printFindings } from './report.ts';
import type { Bench, Findings, Scenario } from './scenario.ts';
import { bot } from './scenarios/bot.ts';
import { burst, drain, drain500, drainText } from './scenarios/drain.ts';
import { equal } from './scenarios/equal.ts';
import { fanout } from './scenarios/fanout.ts';
import { fresh } from './scenarios/fresh.ts';
import { history } from './scenarios/history.ts';
import { idle } from './scenarios/idle.ts';
import { intake } from './scenarios/intake.ts';
import { latency } from './scenarios/latency.ts';
import { plain } from './scenarios/plain.ts';
import { publish } from './scenarios/publish.ts';
import { publishSweep } from './scenarios/publish-sweep.ts';
import { purge } from './scenarios/purge.ts';
import { rest } from './scenarios/rest.ts';
import { seeing } from './scenarios/seeing.ts';
import { sending, sendingSweep } from './scenarios/sending.ts';
import { simulate } from './scenarios/simulate.ts';
import { sweep } from './scenarios/sweep.ts';
import { texts } from './scenarios/texts.ts';
import { Stores } from './stores/stores.ts';

const regular: readonly Scenario[] = [
  drain,
  drain500,
  drainText,
  burst,
  equal,
  plain,
  history,
  purge,
  fresh,
  idle,
  fanout,
  intake,
  texts,
  latency,
  sending,
  seeing,
  bot,
  publish,
  simulate,
];

const { options, scenarios, contenders } = wanted();
const machine = describeMachine(); // before we add to its load
const stores = new Stores();
const bench: Bench = {
  options,
  stores,
  contenders,
  progress: (line) => void process.stderr.write(`${line}\n`),
};
// PostgreSQL outlives a Ctrl-C in our terminal, unless we stop it.
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
    void stores.stop().finally(() => process.exit(130));
  });
}

try {
  for (const scenario of scenarios) {
    bench.progress(`\n${scenario.name}: ${scenario.question}`);
    const findings = await scenario.run(bench);
    printFindings(scenario, findings);
    await keepFindings(scenario, findings, await circumstances(findings));
  }
} catch (error) {
  if (!interrupted) throw error;
} finally {
  await stores.stop();
}

function wanted() {
  try {
    const given = parseOptions(process.argv.slice(2));
    const all = allContenders(given.batch);
    return {
      options: given,
      scenarios: chooseScenarios(
        given,
        all.map(({ name }) => name),
      ),
      contenders: all.filter(({ name }) => isChosen(name, given.only)),
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    return process.exit(2);
  }
}

/** Those that are asked for, without those in which no contender takes part that is asked for. */
function chooseScenarios(
  { scenario, only }: Options,
  usual: readonly string[],
): readonly Scenario[] {
  const every = [...regular, rest, sweep, sendingSweep, publishSweep];
  const chosen = scenario === 'all' ? regular : every.filter(({ name }) => name === scenario);
  if (chosen.length === 0) throw new UsageError(`no scenario ${scenario}`);
  const namesOf = (each: Scenario) => each.contenders ?? usual;
  const known = new Set(chosen.flatMap(namesOf));
  const unknown = only?.find((name) => ![...known].some((each) => isChosen(each, [name])));
  if (unknown !== undefined) {
    throw new UsageError(`no contender ${unknown}; there are ${[...known].join(', ')}`);
  }
  return chosen.filter((each) => namesOf(each).some((name) => isChosen(name, only)));
}

async function circumstances(findings: Findings): Promise<Circumstances> {
  const names = new Set(findings.stores ?? bench.contenders.map((each) => each.store));
  const used = await Promise.all([...names].map((name) => stores.get(name)));
  const { repetitions, jobs, batch } = options;
  return {
    machine,
    run: {
      repetitions,
      jobs,
      batch: batch ?? 'as the settings below say',
      workers: 'one, in this process',
    },
    stores: Object.fromEntries(used.map((store) => [store.name, store.description])),
    contenders:
      findings.contenders ??
      Object.fromEntries(bench.contenders.map((each) => [each.name, each.settings])),
  };
}
