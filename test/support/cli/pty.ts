// A program at the end of a line: a pseudo-terminal whose output is read when the test says so.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Pty {
  /** What was typed at the other end of the line. */
  write(text: string): void;
  /** All that has come out so far. */
  output(): string;
  /** Waits until more has come out. */
  more(): Promise<void>;
  /** The line takes nothing more, until it is read again. */
  stopReading(): void;
  readAgain(): void;
  ended: Promise<number | null>;
  close(): void;
}

export interface PtyOptions {
  readonly columns: number;
  readonly rows: number;
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** By `script` of util-linux, which every Debian has. */
export function openPty({ columns, rows, command, folder, env }: PtyOptions): Pty {
  const line = `stty cols ${columns} rows ${rows} && exec ${command}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', ...env },
  });
  let output = '';
  let change = Promise.withResolvers<void>();
  const tell = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    tell();
  });
  child.once('close', tell);
  child.stdin.on('error', () => undefined);
  return {
    write: (text) => void child.stdin.write(text),
    output: () => output,
    more: () => change.promise,
    stopReading: () => void child.stdout.pause(),
    readAgain: () => void child.stdout.resume(),
    ended: once(child, 'close').then(() => child.exitCode),
    close: () => void child.kill('SIGKILL'),
  };
}
