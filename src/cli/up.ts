import type { Sandbox } from '../../sandbox/start.ts';
import { type Config, loadConfig } from '../config.ts';
import { listWorkspaces } from '../db/inspect.ts';
import type { Database } from '../db/open.ts';
import { openClient, type Queryable } from '../db/pool.ts';
import { lockForSandbox } from '../db/sandbox-lock.ts';
import { applyDemo, reopenDemo } from './apply/demo.ts';
import { type Command, exitCodes, type Terminal } from './command.ts';
import { chatsPort, startOpenSandbox } from './demo-sandbox.ts';
import { userName } from './operator.ts';
import { flag, readOptionsOnly } from './options.ts';
import { platformTitles } from './platform-words.ts';
import { type RunGround, runRoles } from './run.ts';
import {
  demoSecret,
  noteSandbox,
  placeOf,
  pointedAt,
  refuseSecondSandbox,
} from './sandbox-place.ts';

const usage = `outrider up [options]

Runs everything in one process until it is told to stop (Ctrl-C, SIGTERM): takes posts in over HTTP,
reads pull sources, and sends what came in.
Without DATABASE_URL it starts a PostgreSQL of its own and keeps its data in .outrider.

  --sandbox   with simulators of ${platformTitles} instead of the real ones, and a workspace to try things with;
              the chats are shown on port ${chatsPort}, or on a free one if that is taken; a chat is made for every
              id that a channel names; docs/sandbox.md says how to set faults
  --json      log lines as JSON, also on a terminal`;

export const up: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, { sandbox: flag, json: flag });
    const config = loadConfig();
    if (values.sandbox) await runInSandbox(config, terminal, values.json);
    else {
      await runForReal({ config, terminal, json: values.json });
    }
    return exitCodes.ok;
  },
};

/** All that deliveries need, and what watches over them. */
const roles = ['ingest', 'pull', 'dispatch', 'upkeep', 'monitor'] as const;

async function runForReal(ground: RunGround): Promise<void> {
  let hasWorkspace = true;
  await runRoles(roles, ground, {
    async onOpened(database) {
      hasWorkspace = await withClient(database, async (client) => {
        return (await listWorkspaces(client)).length > 0;
      });
    },
    onListening(url) {
      const next = hasWorkspace ? [] : firstStep;
      ground.terminal.err([...addresses(url), ...next, ''].join('\n'));
    },
  });
}

async function runInSandbox(config: Config, terminal: Terminal, json: boolean): Promise<void> {
  await refuseSecondSandbox(config);
  const sandbox = await startOpenSandbox((line) => terminal.err(line));
  const place = placeOf(sandbox);
  const undo: (() => Promise<void>)[] = [];
  try {
    const ground = { config: pointedAt(place, config), terminal, json };
    await runRoles(roles, ground, {
      async onOpened(database) {
        undo.push(await lockForSandbox(database.serviceUrl, place.control));
        undo.push(await noteSandbox(config, place, (line) => terminal.err(line)));
        await makeDemo(database);
      },
      onListening: (url) => terminal.err(sandboxInWords(url, sandbox)),
    });
  } finally {
    for (const step of undo.toReversed()) await step();
    await sandbox.close();
  }
}

async function makeDemo(database: Database): Promise<void> {
  await withClient(database, async (client) => {
    await applyDemo(client);
    await reopenDemo(client, userName());
  });
}

async function withClient<Result>(
  { serviceUrl: url }: Database,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await openClient({ url, applicationName: 'outrider up' });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function addresses(url: string | undefined): string[] {
  return [
    'Outrider is running; Ctrl-C stops it.',
    '',
    `  posts   ${url}/v1/ingest`,
    `  API     ${url}/openapi.json`,
  ];
}

const firstStep = [
  '',
  'There is no workspace yet, so no post can be taken in. Write a file that says where posts come in and where they go',
  '(docs/configuration.md, presets/demo.yaml), and apply it from another terminal, with the same folder and environment:',
  '',
  '  outrider apply workspace.yaml',
];

function sandboxInWords(url: string | undefined, sandbox: Sandbox): string {
  return [
    ...addresses(url),
    `  chats   ${sandbox.controlUrl}/   (the sandbox: what a reader of each chat sees)${elsewhere(sandbox)}`,
    `  faults  ${sandbox.controlUrl}/faults   (rate limits, outages and more, on demand: docs/sandbox.md)`,
    '',
    'Post something, and look at the chats:',
    '',
    `  curl ${url}/v1/ingest -H 'authorization: Bearer ${demoSecret}' -H 'content-type: application/json' \\`,
    `    -d '{"title": "Lost dog", "text": "Ginger, answers to Bim. Seen at '"$(date +%T)"'", "tags": ["lost"]}'`,
    '',
  ].join('\n');
}

function elsewhere({ controlUrl }: Sandbox): string {
  return new URL(controlUrl).port === String(chatsPort) ? '' : `; port ${chatsPort} is taken`;
}
