#!/usr/bin/env node
// The command line: finds the command, runs it, and turns errors into words and exit codes.

import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { isDebugging, loadEnvFile } from '../config.ts';
import { type ErrorCode, OutriderError } from '../errors.ts';
import { maskText } from '../masking.ts';
import {
  Declined,
  exitCodes,
  Interrupted,
  interruptedBy,
  type Terminal,
  UsageError,
} from './command.ts';
import { commands } from './commands.ts';
import { nearest } from './given/nearest.ts';
import { utf8Text } from './given/utf8.ts';
import { nodeFault } from './node-version.ts';
import { asksForJson } from './screen/form.ts';
import { createPassingLine } from './screen/passing-line.ts';
import { printable } from './screen/shown-text.ts';

const help = `outrider <command> [options]

${commands.map((each) => `  ${each.name.padEnd(12)}${each.summary}`).join('\n')}

outrider <command> --help says more. Exit codes: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted (by
SIGTERM 143, by SIGHUP 129). With --json an error is one document on standard output as well: {"error": {"code", "message", "hint"}}.`;

// The command goes on when a reader has seen enough (`| head`) and closes the pipe.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

let stopped: Promise<void> | undefined;
/** Ctrl-C, where no signal came: `top` reads the keys itself. */
let stoppedBy: keyof typeof interruptedBy = 'SIGINT';

const passing = createPassingLine(process.stderr);

const terminal: Terminal = {
  out(line) {
    passing.clear();
    process.stdout.write(`${printable(line)}\n`);
  },
  bytes: (bytes) => void process.stdout.write(bytes),
  err(line) {
    passing.clear();
    process.stderr.write(`${printable(line)}\n`);
  },
  progress(line, isPassing) {
    if (!process.stderr.isTTY) return;
    if (isPassing !== undefined) return passing.show(line);
    passing.clear();
    process.stderr.write(`${printable(line)}\n`);
  },
  redraw: (lines) => void process.stdout.write(redrawn(lines)),
  isTty: process.stdout.isTTY,
  input: async () => utf8Text('standard input', await buffer(process.stdin)),
  canAsk: process.stdin.isTTY && process.stderr.isTTY,
  ask: askedLine,
  get stopped() {
    stopped ??= untilStopped();
    return stopped;
  },
};

/** What to do next, for errors that do not say it themselves. */
const hints: Partial<Record<ErrorCode, string>> = {
  database_away:
    'check DATABASE_URL and that PostgreSQL runs there; without DATABASE_URL Outrider starts one of its own',
};

process.exitCode = await main(process.argv.slice(2));

/** Overwrites what was there before, line by line, so that nothing flickers. */
function redrawn(lines: readonly string[]): string {
  const [home, restOfLine, restOfScreen] = ['\u001b[H', '\u001b[K', '\u001b[J'];
  return `${home}${lines.map((line) => `${printable(line)}${restOfLine}\n`).join('')}${restOfScreen}`;
}

/** On standard error, so that what is printed stays what a program reads. The end of the input is an empty answer. */
async function askedLine(question: string): Promise<string> {
  passing.clear();
  process.stderr.write(`${printable(question)} `);
  for await (const line of createInterface({ input: process.stdin })) return line;
  return '';
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let asked = 0;
    const stop = (signal: keyof typeof interruptedBy): void => {
      if (asked === 0) stoppedBy = signal;
      asked ||= Date.now();
      resolve();
      // npm sends a second Ctrl-C right after the terminal's. Only a later one asks to end at once.
      if (Date.now() - asked > 1000) process.exit(exitCodes.failed);
    };
    // SIGHUP: the terminal was closed.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => stop(signal));
    }
  });
}

async function main(args: readonly string[]): Promise<number> {
  const [given, ...rest] = args;
  if (given === undefined || given === 'help' || given === '--help' || given === '-h') {
    terminal.out(help);
    return given === undefined ? exitCodes.usage : exitCodes.ok;
  }
  const name = given === '--version' ? 'version' : given;
  const listed = commands.find((each) => each.name === name);
  if (listed === undefined) return tell('outrider', unknownCommand(name), args);
  const fault = nodeFault(process.versions.node);
  if (fault !== undefined) return tell('outrider', { code: 'configuration', ...fault }, args);
  const command = await listed.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.usage);
    return exitCodes.ok;
  }
  try {
    loadEnvFile();
    return await command.run(rest, terminal);
  } catch (error) {
    return tell(`outrider ${name}`, explained(name, error), rest);
  }
}

interface Failure {
  readonly code: ErrorCode | 'usage' | 'declined' | 'port_taken' | 'unexpected';
  readonly message: string;
  readonly hint?: string | undefined;
  /** For finding a fault of Outrider. */
  readonly stack?: string | undefined;
}

/** Says what went wrong, in the form that was asked for; answers with the exit code. */
function tell(
  who: string,
  { code, message, hint, stack }: Failure,
  args: readonly string[],
): number {
  if (asksForJson(args)) terminal.out(JSON.stringify({ error: { code, message, hint } }));
  else {
    terminal.err(`${who}: ${message}`);
    if (hint !== undefined) terminal.err(`  ${hint}`);
  }
  if (stack !== undefined) terminal.err(stack);
  return code === 'usage' ? exitCodes.usage : exitCodes.failed;
}

function unknownCommand(name: string): Failure {
  const hint = 'outrider --help lists the commands';
  if (name.startsWith('-')) {
    return { code: 'usage', message: `the command comes first, and ${name} after it`, hint };
  }
  const names = commands.map((each) => each.name);
  const meant = nearest(name, names);
  const instead = meant === undefined ? '' : `; did you mean ${meant}?`;
  const message = `there is no command "${name}"${instead}`;
  return { code: 'usage', message, hint };
}

function explained(name: string, error: unknown): Failure {
  // Nobody needs what is still under way.
  if (error instanceof Interrupted) process.exit(interruptedBy[stoppedBy]);
  if (error instanceof UsageError) {
    const hint = `outrider ${name} --help shows what it takes`;
    return { code: 'usage', message: error.message, hint };
  }
  if (error instanceof Declined) return { code: 'declined', message: error.message };
  if (error instanceof OutriderError) {
    const { code, message, hint = hints[error.code] } = error;
    return { code, message, hint };
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    const port = 'port' in error ? String(error.port) : '';
    const hint = 'choose another one, or leave the option out for any that is free';
    return { code: 'port_taken', message: `port ${port} is taken`, hint };
  }
  // Nobody knows whom it quotes.
  const words = maskText(error instanceof Error ? error.message : String(error));
  return {
    code: 'unexpected',
    message: `unexpected: ${words}`,
    hint: 'this is a fault of Outrider; OUTRIDER_LOG_LEVEL=debug shows where it happened',
    stack: isDebugging() && error instanceof Error ? maskText(error.stack ?? '') : undefined,
  };
}
