// The outbox publisher as a program. It knows nothing of deliveries: only the database and a broker.

import { type Config, loadConfig } from '../config.ts';
import { databaseTime } from '../db/health.ts';
import { listenForWakes } from '../db/listen.ts';
import type { Database } from '../db/open.ts';
import { openPool } from '../db/pool.ts';
import { OutriderError } from '../errors.ts';
import { healthArea } from '../http/health.ts';
import { type HttpServer, startServer } from '../http/server.ts';
import { createLog, type Log } from '../log.ts';
import type { Broker } from '../outbox/broker.ts';
import { openBroker } from '../outbox/brokers/open-broker.ts';
import { type BatchOptions, publishBatch } from '../outbox/publish-batch.ts';
import { startPublisher } from '../outbox/publisher.ts';
import { createSecrets } from '../secrets.ts';
import type { Service } from '../service.ts';
import { type Command, exitCodes, type Terminal } from './command.ts';
import { untilStopped } from './ground.ts';
import { openInStages } from './opening.ts';
import { flag, readOptionsOnly } from './options.ts';

const usage = `outrider publish [options]

Carries events from the outbox to the broker of OUTRIDER_OUTBOX_BROKER, until it is told to stop (Ctrl-C, SIGTERM); the
batch under way is finished first. Any number of processes, on any number of machines, may do so.

  --once     publishes what is due now, and ends; exit code 1 if any of it could not be published
  --health   answers /healthz and /readyz at OUTRIDER_HOST and OUTRIDER_PORT
  --json     log lines as JSON, also on a terminal

The environment says the rest: .env.example lists the variables, docs/outbox.md explains them.`;

export const publish: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, { once: flag, health: flag, json: flag });
    const { stopped } = terminal;
    const config = loadConfig();
    const log = createLog({
      level: config.logLevel,
      pretty: terminal.isTty && !values.json,
      write: (line) => terminal.out(line.trimEnd()),
    });
    const broker = await openBroker(config.outbox.broker, {
      log,
      readSigningSecret: secretReader(config),
    });
    try {
      const role = 'outrider_publisher';
      const database = await untilStopped(terminal, (signal) =>
        openInStages(terminal, config, { role, signal }),
      );
      try {
        const ground = { config, database, broker, log, terminal, stopped };
        return values.once ? await publishOnce(ground) : await publishOn(ground, values.health);
      } finally {
        await database.close();
      }
    } finally {
      await broker.close();
    }
  },
};

interface Ground {
  readonly config: Config;
  readonly database: Database;
  readonly broker: Broker;
  readonly log: Log;
  readonly terminal: Terminal;
  readonly stopped: Promise<void>;
}

// A query that gets no answer is given up soon: what it was about is fetched again on another connection.
const patience = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000, silenceMs: 2000 };

async function withPool(
  { config, database, broker, log }: Ground,
  work: (batch: BatchOptions & { readonly pool: ReturnType<typeof openPool> }) => Promise<number>,
): Promise<number> {
  const { serviceUrl: url } = database;
  const pool = openPool({ url, applicationName: 'outrider publish', max: 3, ...patience });
  try {
    const { batchSize, maxAttempts, order } = config.outbox;
    return await work({ pool, broker, log, batchSize, maxAttempts, order });
  } finally {
    await pool.end();
  }
}

/** Publishes until it is told to stop. Where its port is taken, it publishes nothing. */
function publishOn(ground: Ground, hasHealth: boolean): Promise<number> {
  const { config, database, log, terminal, stopped } = ground;
  const { pollMs } = config.outbox;
  return withPool(ground, async (batch) => {
    const services: Service[] = [];
    let server: HttpServer | undefined;
    if (hasHealth) {
      const health = healthArea({
        askDatabase: () => databaseTime(batch.pool),
        health: () => services.map((each) => ({ name: each.name, health: each.health() })),
      });
      server = await startServer({ ...config.http, log, areas: [health] });
      terminal.err(`health at ${server.url}/readyz`);
    }
    const publisher = startPublisher({ ...batch, pollMs, drainMs: config.drainMs });
    services.push(publisher);
    const listener = listenForWakes({
      url: database.serviceUrl,
      applicationName: 'outrider publish listen',
      channel: 'outrider_outbox',
      onWake: () => publisher.wake(),
      onLost: (error) => log.warn('not told of events; looking for them', { error: error.message }),
    });
    await stopped;
    log.info('stopping: the batch under way is finished');
    await Promise.all([publisher.stop(), listener.stop()]);
    await server?.stop();
    return exitCodes.ok;
  });
}

/** Publishes what is due now. */
function publishOnce(ground: Ground): Promise<number> {
  const { broker, terminal, stopped } = ground;
  return withPool(ground, async (batch) => {
    const checked = await broker.check(AbortSignal.timeout(30_000));
    if (!checked.ok) {
      const at = broker.place === undefined ? '' : ` at ${broker.place}`;
      throw new OutriderError(
        'broker_away',
        `the broker${at} cannot be used: ${checked.fault.message}`,
        {
          hint: 'check that it runs and can be reached from here, and that OUTRIDER_OUTBOX_BROKER names the right host, port and login',
        },
      );
    }
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
  });
}

function secretReader({ outbox, secrets }: Config) {
  const { webhookSecretRef: ref } = outbox;
  if (ref === undefined) return undefined;
  const reader = createSecrets(secrets);
  return () => reader.ofReference(ref, 'OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF');
}
