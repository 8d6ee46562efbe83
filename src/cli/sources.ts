import { sourceStates } from '../db/pull.ts';
import { askingUsage, shellWord, subcommandOf } from './asking.ts';
import type { Command } from './command.ts';
import { watchUsage } from './screen/watching.ts';
import { listed } from './sources/list.ts';
import { pulled } from './sources/pull.ts';
import { tested } from './sources/test.ts';

const usage = `outrider sources [list] [options]
outrider sources pull <source> [--reason R] [options]
outrider sources test <source> [options]

list      pull sources, those with a fault first: when each was read and is read next, what it brought, what is wrong
pull      reads a source now, in this process, and says what came; outrider run pull does so when sources are due
test      shows what the next pull would bring, and takes nothing in: no post, no medium, no cursor

A source is ${sourceStates.slice(0, -1).join(', ')} or ${sourceStates.at(-1)}. Exit code 1: a source could not be read.

  --reason R      pull: why, for the record
  --operator O    pull: who, for the record (default: the user of this machine)
  --dry-run       pull: the same as test
  --limit N       test: the most items (default 20)
${watchUsage}

${askingUsage}`;

export const sources: Command = {
  usage,
  async run(args, terminal) {
    const { name, rest } = subcommandOf(
      args,
      ['list', 'pull', 'test'] as const,
      (given) => `outrider sources test ${shellWord(given)}`,
    );
    if (name === 'list') return listed(rest, terminal);
    return name === 'pull' ? pulled(rest, terminal) : tested(rest, terminal);
  },
};
