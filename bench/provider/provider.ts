// The server that every contender sends to. It is a process of its own, so its CPU is measured separately.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuMicrosOfProcess } from '../process-cpu.ts';
import { type KeptPost, type Kind, type Question, Word } from './protocol.ts';

export interface Provider {
  readonly url: string;
  /** CPU of its process so far. */
  cpuMicros(): number;
  /** What has arrived so far. */
  count(): Promise<{ posts: number; bytes: number }>;
  /** Resolves when it watches for the next post. `arrival` is that post, with the time of its arrival. */
  watch(): Promise<{ arrival: Promise<{ body: string; at: number }> }>;
  /** From now on it keeps every post. */
  keep(): Promise<void>;
  /** What it has kept, in the order of arrival; µs of the machine's clock. */
  kept(): Promise<readonly KeptPost[]>;
  close(): Promise<void>;
}

export async function startProvider(kind: Kind): Promise<Provider> {
  const child = fork(fileURLToPath(new URL('process.ts', import.meta.url)), [kind]);
  const { url } = await next(child, 'listening');
  return {
    url,
    cpuMicros: () => cpuMicrosOfProcess(child.pid ?? 0),
    async count() {
      const counted = next(child, 'counted');
      ask(child, 'count');
      return counted;
    },
    async watch() {
      const arrival = next(child, 'arrived');
      await askAndWait(child, 'watch');
      return { arrival };
    },
    keep: () => askAndWait(child, 'keep'),
    async kept() {
      const kept = next(child, 'kept');
      ask(child, 'tell');
      return (await kept).posts;
    },
    async close() {
      const ended = once(child, 'exit');
      if (!child.connected) return; // the Ctrl-C in the terminal has ended it
      child.disconnect();
      await ended;
    },
  };
}

/** The provider answers questions in order: after the answer to the second it does what the first wants. */
async function askAndWait(child: ChildProcess, question: Question): Promise<void> {
  ask(child, question);
  const counted = next(child, 'counted');
  ask(child, 'count');
  await counted;
}

function ask(child: ChildProcess, question: Question): void {
  child.send(question);
}

function next<Name extends Word['word']>(
  child: ChildProcess,
  name: Name,
): Promise<Extract<Word, { word: Name }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown): void => {
      const word = Word.parse(message);
      if (!isNamed(word, name)) return;
      child.off('message', onMessage).off('exit', onExit);
      resolve(word);
    };
    const onExit = (): void => reject(new Error('the provider has ended'));
    child.on('message', onMessage).on('exit', onExit);
  });
}

function isNamed<Name extends Word['word']>(
  word: Word,
  name: Name,
): word is Extract<Word, { word: Name }> {
  return word.word === name;
}
