// Opens the database of a command. Somebody may be waiting, so each stage that takes a second is named.

import path from 'node:path';
import type { Config } from '../config.ts';
import { type Database, type OpeningStage, type OpenOptions, openDatabase } from '../db/open.ts';
import { placeOf } from '../db/pool.ts';
import type { Terminal } from './command.ts';
import { withProgress } from './screen/progress.ts';
import { throughStages } from './screen/waiting.ts';

export async function openInStages(
  terminal: Terminal,
  config: Config,
  options: Omit<OpenOptions, 'notice' | 'onStage' | 'onStep'>,
): Promise<Database> {
  const notice = (line: string): void => terminal.err(line);
  return throughStages(terminal, (begin) =>
    withProgress(terminal, (tell) =>
      openDatabase(config, {
        ...options,
        notice,
        onStage: (stage) => begin(stageInWords(stage, config)),
        onStep: tell,
      }),
    ),
  );
}

export function stageInWords(stage: OpeningStage, { databaseUrl, postgresDir }: Config): string {
  const folder = placeInWords(postgresDir);
  const words: Readonly<Record<OpeningStage, string>> = {
    creating_cluster: `creating PostgreSQL's data in ${folder}`,
    starting_server: `starting PostgreSQL in ${folder}`,
    awaiting_server: `waiting for PostgreSQL in ${folder}, which another process starts or stops`,
    connecting:
      databaseUrl === undefined
        ? `waiting for PostgreSQL in ${folder} to answer`
        : `waiting for the database at ${placeOf(databaseUrl)}`,
    migrating: 'bringing the database up to date',
  };
  return words[stage];
}

/** A folder, relative to the working directory if it is inside it. */
function placeInWords(folder: string): string {
  const near = path.relative('', folder);
  return near.startsWith('..') ? folder : near;
}
