import { type Clock, movableClock, runningClock } from '../../sandbox/clock.ts';
import { furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { simulated } from '../../sandbox/platforms.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { telegram } from '../../sandbox/telegram/index.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { flag, readOptionsOnly, text } from './given/options.ts';
import { platformTitles } from './screen/platform-words.ts';

/** The methods of each platform, in lines that fit a terminal. */
function methodLists(): string {
  return simulated
    .map(({ title, methods }) =>
      `  ${title}: ${methods.join(', ')}`.replaceAll(/(.{80,110}?,) /g, '$1\n    '),
    )
    .join('\n');
}

/** The ports that may be chosen, and whose they are. */
const ports: readonly (readonly [name: string, whose: string])[] = [
  ...simulated.map(({ name, title }) => [name, `the API of ${title}`] as const),
  ['control', 'the page and the control API'],
];

const portLines = ports.map(
  ([name, whose]) =>
    `  ${`--${name}-port N`.padEnd(20)}port of ${whose} (default: any that is free)`,
);

const usage = `outrider sandbox [options]

${platformTitles} on this machine, for trying things out: they answer as the platforms do, keep what each
chat shows, and play the faults that you script. Nothing leaves the machine.

${portLines.join('\n')}
  --empty             without the chats and tokens of the demo
  --make-chats        make a chat of every id that a call names; without it an unknown chat is not found
  --clock TIME        stand still at TIME, such as 2026-01-01T09:00:00Z, until the page or POST /clock moves the clock
  --json              addresses, the page, tokens and chats as JSON, on one line

Chats, tokens, faults and limits are set with the control API, at the address of the page:

  POST /faults                      make calls fail; GET lists the faults, DELETE takes them back
  POST /clock                       move the clock ahead
  POST /control/<platform>/<order>  bots, chats, users, limits, incoming messages and more
  GET  /chats                       what every chat shows; GET /methods lists what is simulated

docs/sandbox.md has every order with an example.

Simulated are
${methodLists()}`;

export const sandbox: Command = {
  usage,
  async run(args, terminal) {
    const { chosen, empty, makesChats, clock, json } = parse(args);
    const { stopped } = terminal;
    const report = (line: string) => terminal.err(line);
    const running = await startSandbox({ ports: chosen, makesChats, report, clock });
    try {
      if (!empty) furnishDemoWorld(running);
      terminal.out(json ? JSON.stringify(factsOf(running, empty)) : describe(running, empty));
      await stopped;
    } finally {
      await running.close();
    }
    return exitCodes.ok;
  },
};

const portOptions = Object.fromEntries(ports.map(([name]) => [`${name}-port`, text]));

function parse(args: readonly string[]) {
  const values = readOptionsOnly(args, {
    ...portOptions,
    empty: flag,
    'make-chats': flag,
    clock: text,
    json: flag,
  });
  const given: Readonly<Record<string, unknown>> = values;
  const chosen = ports.flatMap(([name]) => {
    const value = given[`${name}-port`];
    return typeof value === 'string' ? [[name, portOf(name, value)] as const] : [];
  });
  const { empty, json, 'make-chats': makesChats } = values;
  const clock = clockAt(values.clock);
  return { chosen: Object.fromEntries(chosen), empty, makesChats, clock, json };
}

function clockAt(value: string | undefined): Clock {
  if (value === undefined) return runningClock();
  const time = Date.parse(value);
  if (Number.isNaN(time)) throw new UsageError(`--clock ${value}: it is a time of ISO 8601`);
  return movableClock(time);
}

function portOf(name: string, value: string): number {
  const port = Number(value);
  if (/^\d{1,5}$/.test(value) && port <= 65_535) return port;
  throw new UsageError(`--${name}-port ${value}: a port is a number up to 65535`);
}

function factsOf(running: Sandbox, empty: boolean) {
  const urls = { ...running.apiUrls, control: running.controlUrl };
  const { stageUrl: stage } = running;
  if (empty) return { urls, stage };
  const tokens = simulated.map(({ name, demo }) => [name, demo.token] as const);
  const chats = simulated.map(({ name, demo }) => [name, demo.chats] as const);
  return { urls, stage, tokens: Object.fromEntries(tokens), chats: Object.fromEntries(chats) };
}

function describe(running: Sandbox, empty: boolean): string {
  const { controlUrl } = running;
  const lines = [
    'The sandbox is running; Ctrl-C stops it. Its page shows the chats, and has switches for faults and the clock:',
    '',
    `  ${running.stageUrl}`,
    '',
    'Point programs at the platforms (docs/sandbox.md):',
    '',
    ...simulated.map(({ name, title }) => `  ${title.padEnd(10)}${running[name].url}`),
  ];
  if (empty) return lines.join('\n');
  const { token, chats } = telegram.demo;
  const [news] = chats;
  return [
    ...lines,
    '',
    'Try it:',
    '',
    `  curl ${running.telegram.url}/bot${token}/sendMessage -d chat_id=${news.id} -d text=Hello`,
    `  curl -X POST ${controlUrl}/faults -H 'content-type: application/json' -d '{"kind":"rate_limited","retry_after":5,"times":1}'`,
    `  curl ${controlUrl}/chats/telegram/${news.id}`,
  ].join('\n');
}
