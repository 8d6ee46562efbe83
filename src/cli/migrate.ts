import type { MigrationReport } from '../db/migrate/migrate.ts';
import { type Command, exitCodes } from './command.ts';
import { flag, readOptionsOnly } from './given/options.ts';
import { type CommandGround, onGround } from './ground.ts';

const usage = `outrider migrate [options]

Brings the database up to date: roles, tables, functions. The services do so by themselves when they start; this is
for those who want it as a step of its own, with a login that may create roles and tables.

  --json   what was done, as JSON`;

export const migrate: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, { json: flag });
    const work = async ({ database: { migrated } }: CommandGround): Promise<void> => {
      terminal.out(values.json ? JSON.stringify(asJson(migrated)) : inWords(migrated));
    };
    await onGround(terminal, work, 'always');
    return exitCodes.ok;
  },
};

function asJson(report: MigrationReport): Record<string, readonly string[]> {
  return {
    migrations: report.migrations,
    functions_changed: report.functionsChanged,
    functions_dropped: report.functionsDropped,
    views_changed: report.viewsChanged,
    views_dropped: report.viewsDropped,
  };
}

function inWords(report: MigrationReport): string {
  const done = Object.entries(asJson(report)).filter(([, names]) => names.length > 0);
  if (done.length === 0) return 'The database is up to date.';
  const lines = done.map(([what, names]) => `  ${what.replace('_', ' ')}: ${summary(names)}`);
  return ['The database was brought up to date:', ...lines].join('\n');
}

function summary(names: readonly string[]): string {
  return names.length > 8 ? String(names.length) : names.join(', ');
}
