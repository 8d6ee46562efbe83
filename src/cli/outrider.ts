#!/usr/bin/env node
// The command line: finds the command, runs it, and turns errors into words and exit codes.

import { text } from 'node:stream/consumers';
import { isDebugging, loadEnvFile } from '../config.ts';
import { type ErrorCode, OutriderError } from '../errors.ts';
import { exitCodes, Interrupted, type Terminal, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { printable } from './shown-text.ts';

const help = `outrider <command> [options]

${commands.map((each) => `  ${each.name.padEnd(12)}${each.summary}`).join('\n')}

outrider <command> --help says more. Exit codes: 0 done, 1 failed, 2 the command line is wrong, 130 interrupted.`;

// A reader that has seen enough (`| head`) is no reason to break off.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

let stopped: Promise<void> | undefined;

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${printable(line)}\n`),
  err: (line) => void process.stderr.write(`${printable(line)}\n`),
  isTty: process.stdout.isTTY,
  input: () => text(process.stdin),
  get stopped() {
    stopped ??= untilStopped();
    return stopped;
  },
};

/** The next step, where an error cannot know it. */
const hints: Partial<Record<ErrorCode, string>> = {
  database_away:
    'check DATABASE_URL and that PostgreSQL runs there; without DATABASE_URL Outrider starts one of its own',
};

process.exitCode = await main(process.argv.slice(2));

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let asked = 0;
    const stop = (): void => {
      asked ||= Date.now();
      resolve();
      // npm passes a Ctrl-C on that the terminal has sent already; a later one means it.
      if (Date.now() - asked > 1000) process.exit(exitCodes.failed);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  });
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    terminal.out(help);
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  const listed = commands.find((each) => each.name === name);
  if (listed === undefined) {
    terminal.err(`outrider: there is no command "${name}"`);
    terminal.err('  outrider --help lists the commands');
    return exitCodes.usage;
  }
  const command = await listed.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.usage);
    return exitCodes.ok;
  }
  try {
    loadEnvFile();
    return await command.run(rest, terminal);
  } catch (error) {
    return explain(listed.name, error);
  }
}

function explain(name: string, error: unknown): number {
  // What is still under way is of no use to anybody now.
  if (error instanceof Interrupted) process.exit(exitCodes.interrupted);
  if (error instanceof UsageError || isArgumentError(error)) {
    terminal.err(`outrider ${name}: ${error.message}`);
    terminal.err(`  outrider ${name} --help shows what it takes`);
    return exitCodes.usage;
  }
  if (error instanceof OutriderError) {
    terminal.err(`outrider ${name}: ${error.message}`);
    const hint = error.hint ?? hints[error.code];
    if (hint !== undefined) terminal.err(`  ${hint}`);
    return exitCodes.failed;
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    terminal.err(`outrider ${name}: the port is taken; choose another, or leave it out`);
    return exitCodes.failed;
  }
  const words = error instanceof Error ? error.message : String(error);
  terminal.err(`outrider ${name}: unexpected: ${words}`);
  terminal.err('  this is a fault of Outrider; OUTRIDER_LOG_LEVEL=debug shows where it happened');
  if (isDebugging() && error instanceof Error) terminal.err(error.stack ?? '');
  return exitCodes.failed;
}

/** Of node:util's parseArgs. */
function isArgumentError(error: unknown): error is Error {
  return (
    error instanceof TypeError &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('ERR_PARSE_ARGS_')
  );
}
