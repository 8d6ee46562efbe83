import { readFile } from 'node:fs/promises';
import { OutriderError } from '../errors.ts';
import { type Reading, readPost } from '../lost-pets/read-post.ts';
import { headingOf } from '../lost-pets/titles.ts';
import { subcommandOf } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { readOptions } from './given/options.ts';
import { type Form, formOf, formOptions, formUsage } from './screen/form.ts';
import { type List, printJson, printList } from './screen/table.ts';

const usage = `outrider lost-pets read <file|-> [options]

Shows what the reader of lost-pets posts sees in a text: its type, the animal, the place, the phones and so on, each
with the words that led to it. "-" reads standard input. It needs no database and sends nothing. docs/lost-pets.md
describes the fields; a source whose reader is lost_pets gives them to its posts.

${formUsage}`;

export const lostPets: Command = {
  usage,
  async run(args, terminal) {
    const { rest } = subcommandOf(args, ['read'], (given) => `outrider lost-pets read ${given}`);
    const { values, positionals } = readOptions(rest, formOptions);
    const form = formOf(terminal, values);
    const [file, ...more] = positionals;
    if (file === undefined)
      throw new UsageError('which text? name a file, or - for standard input');
    if (more.length > 0) throw new UsageError(`one text at a time, not also ${more.join(' ')}`);
    const text = file === '-' ? await terminal.input() : await textOf(file);
    print(terminal, text, form);
    return exitCodes.ok;
  },
};

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const message =
      code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read (${code})`;
    throw new OutriderError(code === 'ENOENT' ? 'not_found' : 'invalid_input', message, {
      hint: 'name a file with the text of one post, or - for standard input',
    });
  }
}

interface Row {
  readonly field: string;
  readonly value: string;
  readonly words: string;
}

const list: List<Row> = {
  fields: ['field', 'value', 'words'],
  columns: [
    { title: 'field', cell: (row) => row.field },
    { title: 'value', cell: (row) => row.value, shrinks: 20 },
    { title: 'words', cell: (row) => row.words, shrinks: 20 },
  ],
};

function print(terminal: Terminal, text: string, form: Form): void {
  const reading = readPost(text);
  const { words: spans, ...values } = reading;
  const words = Object.fromEntries(
    Object.entries(spans).map(([field, found]) => [
      field,
      found.map(({ start, end }) => text.slice(start, end)),
    ]),
  );
  const heading = headingOf(reading);
  if (form === 'json') return printJson(terminal, { ...heading, ...values, words });
  if (form === 'table' && heading !== undefined) terminal.out(`${heading.icon} ${heading.title}`);
  const rows = Object.entries(values).flatMap(([field, value]): Row[] => {
    const shown = shownValue(value);
    return shown === '' || (field === 'animals' && reading.animals.length < 2)
      ? []
      : [{ field, value: shown, words: (words[field] ?? []).join(' · ') }];
  });
  printList(terminal, list, rows, { form });
}

function shownValue(value: Reading[keyof Omit<Reading, 'words'>]): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}
