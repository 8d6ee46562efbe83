// The file .env.example: every variable, its words, and its default.

import type { variables } from '../../src/config.ts';

type Variable = (typeof variables)[number];

const head = `# Copy to .env and take the # away from the lines that you need. What is shown is the default.
# Written by npm run environment; docs/operations.md has the same as a table.
`;

const foot = `
# Secrets. The names are yours: configuration refers to them, as in secret_ref: env:TELEGRAM_TOKEN
#TELEGRAM_TOKEN=
#MAX_TOKEN=
#VK_TOKEN=

# Of compose.yaml: the password of its database; letters and digits.
#POSTGRES_PASSWORD=
`;

export function envExample(listed: readonly Variable[]): string {
  return `${head}${listed.map(entryOf).join('')}${foot}`;
}

function entryOf({ name, meaning, default: usual = '', example, otherName }: Variable): string {
  const plain = meaning.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
  const sentences = [
    `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`,
    ...(example === undefined ? [] : [`For example: ${example}`]),
    ...(otherName === undefined ? [] : [`${otherName} counts where this is not set.`]),
  ];
  return `\n${comment(sentences.join(' '))}#${name}=${usual}\n`;
}

const width = 118;

/** Lines of a comment that fit the page. */
function comment(text: string): string {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return `${[...lines, line].join('\n')}\n`;
}
