#!/usr/bin/env node
// The command line: finds the command, runs it, and turns errors into words and exit codes.

import { OutriderError } from '../errors.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { sandbox } from './sandbox.ts';

const commands: readonly Command[] = [sandbox];

const help = `outrider <command> [options]

${commands.map((each) => `  ${each.name.padEnd(12)}${each.summary}`).join('\n')}

outrider <command> --help says more. Exit codes: 0 done, 1 failed, 2 the command line is wrong.`;

const terminal: Terminal = {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  stopped: new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  }),
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    terminal.out(help);
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) {
    terminal.err(`outrider: there is no command "${name}"\n\n${help}`);
    return exitCodes.usage;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.out(command.usage);
    return exitCodes.ok;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    return explain(command, error);
  }
}

function explain(command: Command, error: unknown): number {
  if (error instanceof UsageError || isArgumentError(error)) {
    terminal.err(`outrider ${command.name}: ${error.message}\n\n${command.usage}`);
    return exitCodes.usage;
  }
  if (error instanceof OutriderError) {
    terminal.err(`outrider ${command.name}: ${error.message}`);
    if (error.hint !== undefined) terminal.err(`  ${error.hint}`);
    return exitCodes.failed;
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    terminal.err(`outrider ${command.name}: the port is taken; choose another, or leave it out`);
    return exitCodes.failed;
  }
  throw error;
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
