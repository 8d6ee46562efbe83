import type { Sandbox } from '../../sandbox/start.ts';
import { type Config, loadConfig } from '../config.ts';
import { listWorkspaces } from '../db/inspect.ts';
import type { Database } from '../db/open.ts';
import { openClient, type Queryable } from '../db/pool.ts';
import { lockForSandbox } from '../db/sandbox-lock.ts';
import type { RoleName } from '../roles/roles.ts';
import { applyDemo, reopenDemo } from './apply/demo.ts';
import { type Command, exitCodes, type Terminal } from './command.ts';
import { userName } from './given/operator.ts';
import { flag, readOptionsOnly } from './given/options.ts';
import { type RunGround, runRoles } from './run.ts';
import { chatsPort, startOpenSandbox } from './sandbox/demo.ts';
import { demoSecret, placeOf, pointedAt } from './sandbox/place.ts';
import { noteSandbox, refuseSecondSandbox } from './sandbox/running.ts';
import { connectStage } from './sandbox/staged-outrider.ts';
import { platformTitles } from './screen/platform-words.ts';

const usage = `outrider up [options]

Runs all roles but publish in one process until it is told to stop (Ctrl-C, SIGTERM): takes posts in over HTTP, reads
pull sources, sends what came in, answers what people write to bots, deletes what is old, and tells of alerts.
Without DATABASE_URL it starts a PostgreSQL of its own and keeps its data in .outrider.

  --sandbox   with simulators of ${platformTitles} instead of the real ones, and a workspace to try things with;
              its page, at the address that is printed, shows all chats, posts, talks to the bot and switches faults
              (on port ${chatsPort}, or on a free one if that is taken); a chat is made for every id that a channel
              names; docs/sandbox.md has the rest
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

/** All that deliveries need, and what watches over them; the gateway where it has a token. */
function rolesOf({ gatewayTokenRef }: Config): readonly RoleName[] {
  const usual = ['ingest', 'pull', 'dispatch', 'bot', 'upkeep', 'monitor'] as const;
  return gatewayTokenRef === undefined ? usual : ['adapters', ...usual];
}

async function runForReal(ground: RunGround): Promise<void> {
  const { tokenRef, proxies, isOpen } = ground.config.status;
  const hasStatus = tokenRef !== undefined || proxies.length > 0 || isOpen;
  let hasWorkspace = true;
  await runRoles(rolesOf(ground.config), ground, {
    async onOpened(database) {
      hasWorkspace = await withClient(database, async (client) => {
        return (await listWorkspaces(client)).length > 0;
      });
    },
    onListening(url) {
      const next = hasWorkspace ? [] : firstStep;
      const status = hasStatus ? [`  status  ${url}/status`] : [];
      ground.terminal.err([...addresses(url), ...status, ...next, ''].join('\n'));
    },
  });
}

async function runInSandbox(config: Config, terminal: Terminal, json: boolean): Promise<void> {
  await refuseSecondSandbox(config);
  const sandbox = await startOpenSandbox((line) => terminal.err(line));
  const place = placeOf(sandbox);
  const undo: (() => Promise<void>)[] = [];
  let serviceUrl = '';
  try {
    const ground = { config: pointedAt(place, config), terminal, json };
    await runRoles(rolesOf(config), ground, {
      async onOpened(database) {
        serviceUrl = database.serviceUrl;
        undo.push(await lockForSandbox(database.serviceUrl, place.control));
        undo.push(await noteSandbox(config, place, (line) => terminal.err(line)));
        await makeDemo(database);
      },
      onListening(url = '') {
        const connected = connectStage({ sandbox, config: ground.config, serviceUrl, url })
          .catch((error: unknown) => {
            const why = error instanceof Error ? error.message : String(error);
            terminal.err(`the page of the sandbox can only show the chats: ${why}`);
          })
          .finally(() => terminal.err(sandboxInWords(url, sandbox)));
        undo.push(async () => {
          const disconnect = await connected;
          await disconnect?.();
        });
      },
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

function sandboxInWords(url: string, sandbox: Sandbox): string {
  return [
    `Outrider is running, with simulators of ${platformTitles}; Ctrl-C stops it. Open this page:`,
    '',
    `  ${sandbox.stageUrl}${elsewhere(sandbox)}`,
    '',
    'It shows all chats, posts, talks to the bot, and switches faults on (docs/sandbox.md). Or post from here:',
    '',
    `  curl ${url}/v1/ingest -H 'authorization: Bearer ${demoSecret}' -H 'content-type: application/json' \\`,
    `    -d '{"title": "Lost dog", "text": "Ginger, answers to Bim. Seen at '"$(date +%T)"'", "tags": ["lost"]}'`,
    '',
  ].join('\n');
}

function elsewhere({ controlUrl }: Sandbox): string {
  return new URL(controlUrl).port === String(chatsPort) ? '' : `   (port ${chatsPort} is taken)`;
}
