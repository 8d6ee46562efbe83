import { demoChats, demoTokens, furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { flag, readOptionsOnly, text } from './options.ts';

const usage = `outrider sandbox [options]

Telegram, MAX and VK on this machine, for trying things out: they answer as the providers do, keep what each
chat shows, and play the faults that you script. Nothing leaves the machine.

  --telegram-port N   port of the Telegram Bot API (default: any that is free)
  --max-port N        port of the MAX Bot API
  --vk-port N         port of the VK API
  --control-port N    port of the pages and the control API
  --empty             without the chats and tokens of the demo
  --json              addresses, tokens and chats as JSON, on one line`;

export const sandbox: Command = {
  usage,
  async run(args, terminal) {
    const { ports, empty, json } = parse(args);
    const { stopped } = terminal;
    const running = await startSandbox({ ports });
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
    json: flag,
  });
  const ports = portOptions.flatMap((name) => {
    const value = values[`${name}-port`];
    return value === undefined ? [] : [[name, portOf(name, value)] as const];
  });
  return { ports: Object.fromEntries(ports), empty: values.empty, json: values.json };
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
