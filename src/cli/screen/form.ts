// The form in which a command shows what it knows.

import { type Terminal, UsageError } from '../command.ts';
import { nearest } from '../given/nearest.ts';
import { flag, text } from '../given/options.ts';

const forms = ['table', 'tsv', 'json'] as const;

/** A table for people; lines of tab-separated fields or one JSON document for machines. */
export type Form = (typeof forms)[number];

export const formOptions = { format: text, json: flag } as const;

export const formUsage = `  --format F      table, tsv or json (default: a table on a terminal, tsv elsewhere)
  --json          the same as --format json; errors are JSON, too`;

export function formOf(
  terminal: Terminal,
  { format, json }: { readonly format?: string | undefined; readonly json: boolean },
): Form {
  const asked = format === undefined ? undefined : known(format);
  if (json && asked !== undefined && asked !== 'json') {
    throw new UsageError(`--json and --format ${asked} contradict each other`);
  }
  if (json) return 'json';
  return asked ?? (terminal.isTty ? 'table' : 'tsv');
}

function known(format: string): Form {
  const form = forms.find((each) => each === format);
  if (form !== undefined) return form;
  const meant = nearest(format, forms);
  const instead = meant === undefined ? `there is ${forms.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`there is no format "${format}"; ${instead}`);
}

/** Whether a command line asks for JSON, even if the rest of it is wrong. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.some(
    (each, n) =>
      each === '--json' ||
      each === '--format=json' ||
      (each === '--format' && options[n + 1] === 'json'),
  );
}
