import { loadConfig } from '../config.ts';
import { OutriderError } from '../errors.ts';
import type { Broker } from '../outbox/broker.ts';
import { type BatchOptions, publishBatch } from '../outbox/publish-batch.ts';
import { openGround } from '../roles/ground.ts';
import { batchOf, publish as publishing } from '../roles/publish.ts';
import { type Command, exitCodes, type Terminal } from './command.ts';
import { flag, readOptionsOnly } from './given/options.ts';
import { untilStopped } from './ground.ts';
import { openInStages } from './opening.ts';
import { logTo, type RunGround, runRoles } from './run.ts';

const usage = `outrider publish [options]

Carries events from the outbox to the broker of OUTRIDER_OUTBOX_BROKER, until it is told to stop (Ctrl-C, SIGTERM); the
batch under way is finished first. Any number of processes, on any number of machines, may do so at the same time.

  --once     publishes what is due now, and ends; exit code 1 if any of it could not be published
  --health   answers /healthz and /readyz at OUTRIDER_HOST and OUTRIDER_PORT
  --json     log lines as JSON, also on a terminal

The environment says the rest: .env.example lists the variables, docs/outbox.md explains them.`;

export const publish: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, { once: flag, health: flag, json: flag });
    const ground = { config: loadConfig(), terminal, json: values.json };
    if (values.once) return publishOnce(ground);
    await runRoles([publishing.name], ground, {
      answersHealth: values.health,
      onListening(url) {
        if (url !== undefined) terminal.err(`health at ${url}/readyz`);
      },
    });
    return exitCodes.ok;
  },
};

async function publishOnce(given: RunGround): Promise<number> {
  const { config, terminal } = given;
  const { stopped } = terminal;
  const database = await untilStopped(terminal, (signal) =>
    openInStages(terminal, config, { role: publishing.worksAs, signal }),
  );
  const ground = openGround({ config, database, log: logTo(given) });
  try {
    return await publishDue(await batchOf(ground), terminal, stopped);
  } finally {
    await ground.close();
    await database.close();
  }
}

/** Publishes what is due now. */
async function publishDue(
  batch: BatchOptions,
  terminal: Terminal,
  stopped: Promise<void>,
): Promise<number> {
  await requireBroker(batch.broker);
  const total = { published: 0, failed: 0 };
  const unbroken = new AbortController().signal;
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  for (let fetched = 1; fetched > 0 && !stopping.signal.aborted; ) {
    const report = await publishBatch(batch, unbroken);
    total.published += report.published;
    total.failed += report.failed;
    fetched = report.outage === undefined ? report.fetched : 0;
  }
  terminal.err(`${total.published} published, ${total.failed} failed`);
  return total.failed === 0 ? exitCodes.ok : exitCodes.failed;
}

async function requireBroker(broker: Broker): Promise<void> {
  const checked = await broker.check(AbortSignal.timeout(30_000));
  if (checked.ok) return;
  const at = broker.place === undefined ? '' : ` at ${broker.place}`;
  throw new OutriderError(
    'broker_away',
    `the broker${at} cannot be used: ${checked.fault.message}`,
    {
      hint: 'check that it runs and can be reached from here, and that OUTRIDER_OUTBOX_BROKER names the right host, port and login',
    },
  );
}
