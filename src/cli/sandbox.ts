import { type Clock, movableClock, runningClock } from '../../sandbox/clock.ts';
import { demoChats, demoTokens, furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { simulatedMethods as maxMethods } from '../../sandbox/max/routes.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { simulatedMethods as telegramMethods } from '../../sandbox/telegram/methods.ts';
import { methods as vkMethods } from '../../sandbox/vk/methods.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { flag, readOptionsOnly, text } from './options.ts';

/** The methods of each platform, in lines that fit a terminal. */
function simulated(): string {
  const lists = { Telegram: telegramMethods, MAX: maxMethods, VK: [...vkMethods.keys()] };
  return Object.entries(lists)
    .map(([name, methods]) =>
      `  ${name}: ${methods.join(', ')}`.replaceAll(/(.{80,110}?,) /g, '$1\n    '),
    )
    .join('\n');
}

const usage = `outrider sandbox [options]

Telegram, MAX and VK on this machine, for trying things out: they answer as the providers do, keep what each
chat shows, and play the faults that you script. Nothing leaves the machine.

  --telegram-port N   port of the Telegram Bot API (default: any that is free)
  --max-port N        port of the MAX Bot API
  --vk-port N         port of the VK API
  --control-port N    port of the pages and the control API
  --empty             without the chats and tokens of the demo
  --make-chats        make a chat of every id that a call names; without it an unknown chat is not found
  --clock TIME        stand still at TIME, such as 2026-01-01T09:00:00Z, until POST /clock moves the clock
  --json              addresses, tokens and chats as JSON, on one line

Chats, tokens, faults and limits are set with the control API, at the address of the pages:

  POST /faults                      make calls fail; GET lists the faults, DELETE takes them back
  POST /clock                       move a clock that stands still
  POST /control/<platform>/<order>  bots, chats, users, limits, incoming messages and more
  GET  /chats                       what every chat shows; GET /methods lists what is simulated

docs/sandbox.md has every order with an example.

Simulated are
${simulated()}`;

export const sandbox: Command = {
  usage,
  async run(args, terminal) {
    const { ports, empty, makesChats, clock, json } = parse(args);
    const { stopped } = terminal;
    const report = (line: string) => terminal.err(line);
    const running = await startSandbox({ ports, makesChats, report, clock });
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

const portOptions = ['telegram', 'max', 'vk', 'control'] as const;

function parse(args: readonly string[]) {
  const values = readOptionsOnly(args, {
    'telegram-port': text,
    'max-port': text,
    'vk-port': text,
    'control-port': text,
    empty: flag,
    'make-chats': flag,
    clock: text,
    json: flag,
  });
  const ports = portOptions.flatMap((name) => {
    const value = values[`${name}-port`];
    return value === undefined ? [] : [[name, portOf(name, value)] as const];
  });
  const { empty, json, 'make-chats': makesChats } = values;
  const clock = clockAt(values.clock);
  return { ports: Object.fromEntries(ports), empty, makesChats, clock, json };
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
  const { telegram, max, vk, controlUrl } = running;
  const urls = { telegram: telegram.url, max: max.url, vk: vk.url, control: controlUrl };
  return empty ? { urls } : { urls, tokens: demoTokens, chats: demoChats };
}

function describe(running: Sandbox, empty: boolean): string {
  const { telegram, max, vk, controlUrl } = running;
  const lines = [
    'The sandbox is running; Ctrl-C stops it.',
    '',
    `  Telegram  ${telegram.url}`,
    `  MAX       ${max.url}`,
    `  VK        ${vk.url}`,
    `  chats     ${controlUrl}/`,
    `  faults    ${controlUrl}/faults   (docs/sandbox.md)`,
  ];
  if (empty) return lines.join('\n');
  const [news] = demoChats.telegram;
  return [
    ...lines,
    '',
    'Try it:',
    '',
    `  curl ${telegram.url}/bot${demoTokens.telegram}/sendMessage -d chat_id=${news.id} -d text=Hello`,
    `  curl -X POST ${controlUrl}/faults -H 'content-type: application/json' -d '{"kind":"rate_limited","retry_after":5,"times":1}'`,
    `  curl ${controlUrl}/chats/telegram/${news.id}`,
  ].join('\n');
}
