// make n8n: n8n as the only orchestrator of Outrider, on the embedded PostgreSQL and the sandbox, until Ctrl-C.
//
//   n8n is installed → PostgreSQL, the sandbox and the gateway run → the workflows are brought in → n8n runs

import { once } from 'node:events';
import path from 'node:path';
import { applyDemo } from '../src/cli/apply/demo.ts';
import { startOpenSandbox } from '../src/cli/sandbox/demo.ts';
import { demoSecret, placeOf, pointedAt } from '../src/cli/sandbox/place.ts';
import { refuseSecondSandbox } from '../src/cli/sandbox/running.ts';
import { loadConfig } from '../src/config.ts';
import { openDatabase } from '../src/db/open.ts';
import { openClient } from '../src/db/pool.ts';
import { lockForSandbox } from '../src/db/sandbox-lock.ts';
import { OutriderError } from '../src/errors.ts';
import { createLog } from '../src/log.ts';
import { openOutrider } from '../src/outrider.ts';
import { addN8nLogin, bcryptOf, ensureDatabase } from './n8n/databases.ts';
import { installedN8n } from './n8n/install.ts';
import { keptKeys } from './n8n/keys.ts';
import { importCredentials, importWorkflows, type N8nOptions, startN8n } from './n8n/n8n.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const undo: (() => Promise<unknown>)[] = [];
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
const owner = 'owner@outrider.example';
const login = 'n8n';

try {
  await run();
} catch (error) {
  process.exitCode = 1;
  // Ctrl-C also ends what this program waits for.
  if (!stop.signal.aborted) tell(error);
} finally {
  for (const step of undo.toReversed()) await step();
}

function tell(error: unknown): void {
  if (!(error instanceof OutriderError)) throw error;
  say(`make n8n: ${error.message}`);
  if (error.hint !== undefined) say(`  ${error.hint}`);
}

async function run(): Promise<void> {
  const config = loadConfig();
  await refuseSecondSandbox(config);
  const program = await installedN8n(say);
  const folder = path.join(config.dataDir, 'n8n-data');
  const keys = await keptKeys(folder);

  say('Starting PostgreSQL, the sandbox and the gateway…');
  const sandbox = await startOpenSandbox(say);
  undo.push(() => sandbox.close());
  const database = await openDatabase(config, { notice: say });
  undo.push(() => database.close());
  undo.push(await lockForSandbox(database.serviceUrl, sandbox.controlUrl));
  await prepare(database.url, keys.loginPassword);
  const pointed = pointedAt(placeOf(sandbox), config);
  const outrider = await openOutrider(
    {
      ...pointed,
      gatewayTokenRef: 'env:OUTRIDER_GATEWAY_TOKEN',
      secrets: { ...pointed.secrets, OUTRIDER_GATEWAY_TOKEN: keys.gatewayToken },
    },
    { database, log: createLog({ level: 'warn', pretty: true, write: say }) },
  );
  undo.push(() => outrider.stop());
  await outrider.start(['adapters']);

  say('Bringing the workflows into n8n; this takes a minute…');
  const databaseUrl = await ensureDatabase(database.url, 'n8n');
  const options: N8nOptions = {
    program,
    databaseUrl,
    folder,
    port: 5678,
    brokerPort: 5679,
    gatewayUrl: outrider.url ?? '',
    encryptionKey: keys.encryptionKey,
    owner: { email: owner, passwordHash: await bcryptOf(databaseUrl, keys.ownerPassword) },
  };
  const outriderUrl = new URL(database.url);
  outriderUrl.username = login;
  outriderUrl.password = keys.loginPassword;
  await importCredentials(options, { ...keys, outriderUrl: outriderUrl.toString() });
  await importWorkflows(options);
  const n8n = await startN8n(options);
  undo.push(() => n8n.stop());
  say(`
n8n works for Outrider; Ctrl-C stops it. The native dispatcher does not run.

  editor   ${n8n.url}  (${owner}, ${keys.ownerPassword})
  chats    ${sandbox.stageUrl}
  gateway  ${outrider.url}/openapi.json

  curl ${n8n.url}/webhook/outrider/ingest -H 'authorization: Bearer ${demoSecret}' \\
    -H 'content-type: application/json' -d '{"title": "Lost dog", "text": "Ginger, answers to Bim", "tags": ["lost"]}'
  curl -X POST ${n8n.url}/webhook/outrider/monitor -H 'x-run-now: ${keys.runNowToken}'
`);
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
}

async function prepare(adminUrl: string, password: string): Promise<void> {
  const admin = await openClient({ url: adminUrl, applicationName: 'outrider n8n' });
  try {
    await addN8nLogin(admin, login, password);
    await applyDemo(admin);
  } finally {
    await admin.end();
  }
}
