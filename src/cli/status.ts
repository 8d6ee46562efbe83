import { type ShownWorkspace, showWorkspace } from '../db/inspect.ts';
import { askingOptions, askingUsage, inWorkspace } from './asking.ts';
import { type Command, exitCodes, type Terminal } from './command.ts';
import { readOptionsOnly } from './given/options.ts';
import { type Form, formOf } from './screen/form.ts';
import { groupInWords } from './screen/group-words.ts';
import { oneLine } from './screen/shown-text.ts';
import {
  alignedLines,
  type Column,
  paint,
  printFacts,
  printJson,
  terminalWidth,
} from './screen/table.ts';
import { relative } from './screen/times.ts';
import { intervalOf, watching, watchOptions, watchUsage } from './screen/watching.ts';

const usage = `outrider status [options]

How a workspace is doing, on one screen: what waits and since when, what is being sent, whether its channels and rate
groups send, what happened in the last hour and which errors came up. A + after a number means that there may be more.

${watchUsage}

${askingUsage}`;

export const status: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, { ...askingOptions, ...watchOptions });
    const form = formOf(terminal, values);
    const everyMs = intervalOf(terminal, form, values);
    await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
      watching(terminal, { everyMs }, async (screen) => {
        printStatus(screen, form, await showWorkspace(client, workspaceId));
      }),
    );
    return exitCodes.ok;
  },
};

function printStatus(terminal: Terminal, form: Form, shown: ShownWorkspace): void {
  if (form === 'json') printJson(terminal, shown);
  else if (form === 'table') printScreen(terminal, shown);
  // For machines: the document, flattened.
  else printFacts(terminal, Object.fromEntries(flattened('', shown)));
}

function flattened(path: string, value: unknown): [string, unknown][] {
  const isLeaf = typeof value !== 'object' || value === null || value instanceof Date;
  if (isLeaf) return [[path, value]];
  return Object.entries(value).flatMap(([name, each]) =>
    flattened(path === '' ? name : `${path}.${name}`, each),
  );
}

function printScreen(terminal: Terminal, shown: ShownWorkspace): void {
  const { now, waiting, sending, channels, last_hour: lastHour } = shown;
  const counts = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .map(([name, count]) => `${count}${plusOf(shown, name)} ${name.replaceAll('_', ' ')}`)
      .join(' · ');
  const facts: readonly (readonly [string, string])[] = [
    ['waiting', counts(waiting)],
    ['oldest due', oldestInWords(shown)],
    ['next send', shown.next_send_at === null ? '–' : relative(shown.next_send_at, now)],
    ['sending', sendingInWords(sending)],
    ['channels', counts(withoutZeros(channels)) || 'none'],
    ...shown.groups.map(
      ({ rate_group: rateGroup, ...group }, n) =>
        [n === 0 ? 'groups' : '', groupInWords({ ...group, rateGroup }, now)] as const,
    ),
    ['last hour', counts(lastHour)],
    ['alerts', alertsInWords(shown.alerts)],
  ];
  const state = paint(terminal, shown.status === 'active' ? 'green' : 'yellow', shown.status);
  terminal.out(
    `${paint(terminal, 'bold', shown.workspace_id)} (${oneLine(shown.name)}) is ${state}`,
  );
  terminal.out('');
  for (const [name, words] of facts) {
    terminal.out(`  ${paint(terminal, 'gray', name.padEnd(11))} ${words}`);
  }
  if (shown.last_errors.length === 0) return;
  terminal.out('');
  for (const line of alignedLines(errorColumns(now), shown.last_errors, terminalWidth() - 2)) {
    terminal.out(`  ${line}`);
  }
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

/** A count that stopped at its limit has a plus: there may be more. */
function plusOf(shown: ShownWorkspace, name: string): string {
  return shown.at_least.includes(name) ? '+' : '';
}

function oldestInWords({ oldest_due: oldest, now }: ShownWorkspace): string {
  return oldest === null
    ? '–'
    : `${relative(oldest.due_since, now)} in ${oldest.channel_id}, ${oldest.delivery_id}`;
}

function sendingInWords({ open, expiring, expired }: ShownWorkspace['sending']): string {
  if (open === 0) return 'nothing';
  const silent = expiring + expired;
  return silent === 0 ? String(open) : `${open}; the sender of ${silent} has been silent lately`;
}

function alertsInWords(alerts: ShownWorkspace['alerts']): string {
  const { open, critical, undelivered, evaluated } = alerts;
  const bad = critical === 0 ? '' : `, ${critical} of them critical`;
  const lost =
    undelivered === 0
      ? ''
      : `; ${undelivered} of the targets cannot be reached, see outrider alerts targets`;
  const blind = evaluated ? '' : '; they cannot be evaluated, and the log of the monitor says why';
  return open === 0 && lost + blind === '' ? 'none' : `${open} open${bad}${lost}${blind}`;
}

function errorColumns(now: Date): Column<ShownWorkspace['last_errors'][number]>[] {
  return [
    { title: 'error', cell: ({ code }) => ({ text: code, colour: 'red' }) },
    { title: 'times', align: 'right', cell: ({ count }) => String(count) },
    { title: 'last', cell: (row) => relative(row.last_at, now) },
    { title: 'in', cell: (row) => row.channel_id ?? '–' },
    { title: 'in words', shrinks: 8, cell: ({ message }) => message ?? '' },
  ];
}
