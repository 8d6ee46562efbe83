import { mkdir, writeFile } from 'node:fs/promises';
import type { Findings, Scenario } from './scenario.ts';
import { asMarkdown, asText } from './table.ts';
import { verdictTable } from './verdict.ts';

type Facts = Readonly<Record<string, unknown>>;

/** The circumstances of a run, without which its numbers mean nothing. */
export interface Circumstances {
  readonly machine: Facts;
  readonly run: Facts;
  readonly stores: Readonly<Record<string, Facts>>;
  readonly contenders: Readonly<Record<string, Facts>>;
}

const folder = new URL('results/', import.meta.url);

export function printFindings(scenario: Scenario, findings: Findings): void {
  const tables = [...findings.tables, ...verdictTables(findings)];
  process.stdout.write(`\n${scenario.question}\n\n${tables.map(asText).join('\n\n')}\n`);
}

/** Writes the results to files: JSON with every single value, and Markdown for people. */
export async function keepFindings(
  scenario: Scenario,
  findings: Findings,
  circumstances: Circumstances,
): Promise<void> {
  const { batch } = circumstances.run;
  const variant = typeof batch === 'number' ? `-batch-${batch}` : '';
  const name = `${new Date().toISOString().slice(0, 10)}-${scenario.name}${variant}`;
  const { verdicts, raw } = findings;
  const json = {
    scenario: scenario.name,
    question: scenario.question,
    ...circumstances,
    verdicts,
    raw,
  };
  const markdown = [
    `# ${name}`,
    scenario.question,
    ...[...findings.tables, ...verdictTables(findings)].map(asMarkdown),
    '## Circumstances',
    facts({ machine: circumstances.machine, run: circumstances.run }),
    facts(circumstances.stores),
    facts(circumstances.contenders),
  ];
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(json, null, 2)}\n`);
  await writeFile(new URL(`${name}.md`, folder), `${markdown.join('\n\n')}\n`);
}

function verdictTables(findings: Findings): ReturnType<typeof verdictTable>[] {
  return findings.verdicts.length === 0 ? [] : [verdictTable(findings.verdicts)];
}

function facts(groups: Readonly<Record<string, Facts>>): string {
  return Object.entries(groups)
    .map(([name, entries]) => {
      const pairs = Object.entries(entries).map(([key, value]) => `${key} ${shown(value)}`);
      return `- **${name}**: ${pairs.join(', ')}`;
    })
    .join('\n');
}

function shown(value: unknown): string {
  if (value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
