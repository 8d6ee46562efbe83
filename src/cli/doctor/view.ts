// What the doctor found, for people and for machines.

import type { MadeCheck, Report, ToldFinding } from '../../doctor/examine.ts';
import type { Severity } from '../../doctor/finding.ts';
import { exitCodes, type Terminal } from '../command.ts';
import type { Form } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import { type Colour, inSchemaNames, paint, printJson, tabbedLines } from '../screen/table.ts';

/** What was there to look at. */
export interface LookedAt {
  readonly workspaces: number;
  readonly credentials: number;
  readonly channels: number;
  readonly sources: number;
  readonly alertTargets: number;
}

const fields = ['severity', 'area', 'check', 'workspaceId', 'subject', 'finding', 'fix'] as const;

const colours: Readonly<Record<Severity, Colour>> = {
  critical: 'red',
  warning: 'yellow',
  info: 'gray',
};

/** A hint is nothing that a script should stop for. */
export function exitCodeOf({ findings }: Report): number {
  return findings.every(({ severity }) => severity === 'info') ? exitCodes.ok : exitCodes.failed;
}

export function printReport(
  terminal: Terminal,
  report: Report,
  lookedAt: LookedAt,
  form: Form,
): void {
  const rows = report.findings.map(asRow);
  if (form === 'json') {
    return printJson(terminal, {
      findings: rows.map(inSchemaNames),
      checks: report.checks,
      looked_at: inSchemaNames(lookedAt),
    });
  }
  if (form === 'tsv') {
    for (const line of tabbedLines(fields, rows)) terminal.out(line);
    return;
  }
  terminal.out(headline(report.findings));
  for (const [title, findings] of Map.groupBy(report.findings, titleOf)) {
    terminal.out('');
    terminal.out(paint(terminal, 'bold', title));
    for (const finding of findings) printFinding(terminal, finding);
  }
  terminal.out('');
  printChecks(terminal, report.checks, lookedAt);
}

/** In JSON the sentence about what is wrong is called `finding`. */
function asRow({ says, ...finding }: ToldFinding): Omit<ToldFinding, 'says'> & { finding: string } {
  return { ...finding, finding: says };
}

function headline(findings: readonly ToldFinding[]): string {
  if (findings.length === 0) return 'Nothing found.';
  const counts = (['critical', 'warning', 'info'] as const).flatMap((severity) => {
    const count = findings.filter((each) => each.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  return `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}: ${counts.join(', ')}`;
}

function titleOf({ area, workspaceId }: ToldFinding): string {
  return workspaceId === null ? area : `${area} of workspace ${workspaceId}`;
}

function printFinding(terminal: Terminal, { severity, subject, says, fix }: ToldFinding): void {
  const word = paint(terminal, colours[severity], severity.padEnd(8));
  const where = subject === null ? '' : `${subject}: `;
  terminal.out(`  ${word}  ${oneLine(`${where}${says}`)}`);
  terminal.out(`            fix: ${oneLine(fix)}`);
}

function printChecks(terminal: Terminal, checks: readonly MadeCheck[], lookedAt: LookedAt): void {
  const made = checks.filter(({ status }) => status !== 'not_made');
  terminal.out(`Looked at ${countsOf(lookedAt)}.`);
  for (const [area, list] of Map.groupBy(made, (each) => each.area)) {
    const names = list.map(({ name }) => name.replace(`${area}_`, '').replaceAll('_', ' '));
    terminal.out(`  ${area.padEnd(11)}  ${names.join(', ')}`);
  }
  const left = checks.length - made.length;
  if (left > 0) {
    terminal.out(`${left} checks were not made: what they look at could not be reached.`);
  }
}

function countsOf(lookedAt: LookedAt): string {
  const words = [
    [lookedAt.workspaces, 'workspace'],
    [lookedAt.credentials, 'credential'],
    [lookedAt.channels, 'channel'],
    [lookedAt.sources, 'source'],
    [lookedAt.alertTargets, 'alert target'],
  ] as const;
  return words.map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`).join(', ');
}
