import { simulated } from '../../../sandbox/platforms.ts';
import type { ChatView } from '../../../sandbox/simulator.ts';
import { type Config, loadConfig } from '../../config.ts';
import { type Command, exitCodes, type Terminal } from '../command.ts';
import { flag, readOptionsOnly } from '../given/options.ts';
import { orInterrupted, untilStopped } from '../ground.ts';
import { platformTitles } from '../screen/platform-words.ts';
import { alertScene } from './alert.ts';
import { badChannel } from './bad-channel.ts';
import { chats } from './chats.ts';
import { killedWorker } from './killed-worker.ts';
import { lostPetsScene } from './lost-pets.ts';
import { newChannel } from './new-channel.ts';
import { rateLimit } from './rate-limit.ts';
import { repeatedPost } from './repeated-post.ts';
import { createScript, type Scene, type Script } from './script.ts';
import { shopBot } from './shop-bot.ts';
import { openStage, type Stage } from './stage.ts';

const usage = `outrider demo

Shows what Outrider does, in about half a minute: an embedded PostgreSQL, simulators of ${platformTitles}, and a
worker in a process of its own. Nothing leaves the machine, and nothing is left behind. Exit codes: 0 every promise
held, 1 one did not, 130 interrupted by Ctrl-C.

  --json   only the result, as JSON`;

const scenes: readonly Scene[] = [
  newChannel,
  rateLimit,
  repeatedPost,
  badChannel,
  alertScene,
  lostPetsScene,
  shopBot,
  killedWorker,
];

export const demo: Command = {
  usage,
  async run(args, given) {
    const values = readOptionsOnly(args, { json: flag });
    const config = loadConfig();
    return untilStopped(given, async (signal) => {
      signal.addEventListener('abort', () => given.err('stopping…'));
      const isSilent = (): boolean => values.json || signal.aborted;
      const terminal = { ...given, out: (line: string) => void (isSilent() || given.out(line)) };
      const { checked, failed } = await perform(config, terminal, signal);
      if (values.json) given.out(JSON.stringify({ checked, failed }));
      return failed.length === 0 ? exitCodes.ok : exitCodes.failed;
    });
  },
};

async function perform(config: Config, terminal: Terminal, signal: AbortSignal): Promise<Script> {
  const script = createScript(terminal);
  terminal.out('Starting PostgreSQL, the sandbox and a worker…');
  const stage = await openStage(config, signal);
  try {
    terminal.out(introduction(stage));
    await orInterrupted(signal, play(stage, script, terminal));
    showChats(stage, terminal);
  } catch (error) {
    await stage.close();
    // A Ctrl-C may reach the worker first. Then it is no fault that the worker is gone.
    signal.throwIfAborted();
    throw error;
  }
  await stage.close();
  terminal.out(resultInWords(script));
  return script;
}

async function play(stage: Stage, script: Script, terminal: Terminal): Promise<void> {
  for (const [n, scene] of scenes.entries()) {
    terminal.out(`\n${n + 1}. ${scene.title}`);
    await scene.play(stage, script);
  }
}

function resultInWords({ checked, failed }: Script): string {
  if (failed.length > 0) {
    const lines = failed.map((each) => `  ✗ ${each}`);
    return [`\n${failed.length} of ${checked} checks failed:`, ...lines].join('\n');
  }
  return [
    `\nAll ${checked} checks hold.`,
    '',
    'Next: make up (outrider up --sandbox) keeps running, and prints a command to post with.',
  ].join('\n');
}

function introduction({ worker, sandbox }: Stage): string {
  return [
    `A worker (process ${worker.pid}) takes posts in at ${worker.url} and sends them to six channels:`,
    `three on Telegram, two on MAX and one on VK. The sandbox plays all of them`,
    `(${sandbox.controlUrl}/ shows the chats for as long as the demo runs).`,
  ].join('\n');
}

const ids = new Set<string>(Object.values(chats).map((each) => each.id));

function isOfTheDemo({ chat }: ChatView): boolean {
  return ids.has(chat);
}

function showChats({ sandbox }: Stage, terminal: Terminal): void {
  terminal.out('\nWhat a reader of each chat sees now:');
  for (const { name: platform } of simulated) {
    for (const chat of sandbox[platform].simulator.chats().filter(isOfTheDemo)) {
      terminal.out(`\n   ${platform} · ${chat.title}`);
      if (chat.posts.length === 0) terminal.out('     (nothing)');
      for (const { text, media } of chat.posts) {
        const said = text.replaceAll(/\s*\n+\s*/g, ' · ');
        terminal.out(
          `     – ${[said, ...media.map(({ type }) => `(${type})`)].filter(Boolean).join(' ')}`,
        );
      }
    }
  }
}
