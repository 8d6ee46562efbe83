// The terminal as a screen of our own: the alternate screen, keys one by one, and everything put back on every way out.

import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Size } from './picture.ts';

export interface Screen {
  size(): Size;
  /** Resolves when the line has taken all of it; until then nothing else may be written. */
  write(text: string): Promise<void>;
  onText(take: (text: string) => void): void;
  onResize(take: () => void): void;
  /** Gives the terminal back to the shell until the process is told to go on. */
  suspend(): Promise<void>;
  close(): Promise<void>;
}

const escape = '\u001b[';
// The alternate screen, without cursor, and without wrapping at the edge.
const enter = `${escape}?1049h${escape}?25l${escape}?7l${escape}2J`;
const leave = `${escape}?2026l${escape}0m${escape}?7h${escape}?25h${escape}?1049l`;

const standardOutput = 1;

/** A line that has taken nothing for so long is as good as gone. */
const stuckMs = 1000;

export function openScreen(input: ReadStream, output: WriteStream): Screen {
  let isOpen = false;
  let takeText: ((text: string) => void) | undefined;
  let takeResize: (() => void) | undefined;
  let writing: { readonly since: number; readonly done: Promise<void> } | undefined;

  const onData = (text: string): void => takeText?.(text);
  const onResize = (): void => takeResize?.();

  function open(): void {
    isOpen = true;
    fs.writeSync(standardOutput, enter);
    input.setRawMode(true);
    input.resume();
  }

  /** Also as the very last thing that a process does, whatever ended it. */
  function restore(): void {
    if (!isOpen) return;
    isOpen = false;
    if (writing !== undefined) letItFinish(writing.since);
    try {
      fs.writeSync(standardOutput, leave);
      input.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  }

  /** What is being written must not come after the screen was given back. */
  async function settle(): Promise<void> {
    await Promise.race([writing?.done, delay(stuckMs)]);
  }

  input.setEncoding('utf8');
  input.on('data', onData);
  output.on('resize', onResize);
  process.once('exit', restore);
  process.once('uncaughtExceptionMonitor', restore);
  open();

  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    async write(text) {
      const done = writeAll(Buffer.from(text));
      writing = { since: Date.now(), done: done.catch(() => undefined) };
      await done;
      writing = undefined;
    },
    onText: (take) => void (takeText = take),
    onResize: (take) => void (takeResize = take),
    async suspend() {
      await settle();
      restore();
      process.kill(process.pid, 'SIGTSTP');
      // A process that stands still waits no time: this is over when it goes on.
      await delay(100);
      open();
    },
    async close() {
      input.off('data', onData);
      output.off('resize', onResize);
      await settle();
      restore();
      process.off('exit', restore);
      process.off('uncaughtExceptionMonitor', restore);
      input.pause();
    },
  };
}

/** Waits without giving way: a process that ends does nothing else any more. */
function letItFinish(since: number): void {
  // To restore the screen, or only to end, would wait for a line that takes nothing more.
  if (Date.now() - since > stuckMs) process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
}

/** Not through process.stdout, which would hold up the whole process while a slow line takes the bytes. */
async function writeAll(bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += await new Promise<number>((resolve, reject) => {
      fs.write(standardOutput, bytes, done, (error, count) => {
        if (error === null) resolve(count);
        else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), 20);
        else reject(error);
      });
    });
  }
}
