// The table of environment variables, for docs/operations.md.

import type { variables } from '../../src/config.ts';

type Variable = (typeof variables)[number];

const start = '<!-- The table is written by npm run environment, from src/environment.ts. -->\n';
const end = '<!-- The end of the table. -->\n';

/** The page with the table as it should be. */
export function withTable(page: string, listed: readonly Variable[]): string {
  const [before, rest] = split(page, start);
  const [, after] = split(rest, end);
  return `${before}${start}\n${environmentTable(listed)}\n${end}${after}`;
}

function environmentTable(listed: readonly Variable[]): string {
  const rows = listed.map(({ name, default: usual, ...words }) => {
    return `| ${code(name)} | ${usual === undefined ? '–' : code(usual)} | ${inWords(words)} |\n`;
  });
  return `| variable | default | meaning |\n|---|---|---|\n${rows.join('')}`;
}

function inWords({ meaning, example, otherName }: Omit<Variable, 'name' | 'default'>): string {
  const such = example === undefined ? '' : `; for example ${code(example)}`;
  const other = otherName === undefined ? '' : `; ${code(otherName)} counts where this is not set`;
  return `${meaning}${such}${other}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function split(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`docs/operations.md lacks the line ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
