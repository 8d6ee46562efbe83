import { parseArgs } from 'node:util';
import { type ShownWorkspace, showWorkspace } from '../db/inspect.ts';
import { askingOptions, askingUsage, inWorkspace } from './asking.ts';
import { type Command, exitCodes, type Terminal } from './command.ts';
import { oneLine } from './shown-text.ts';
import { alignedLines, asField, type Column, paint, printJson, terminalWidth } from './table.ts';
import { relative } from './times.ts';

const usage = `outrider status [options]

How a workspace does, on one screen: what waits and since when, what is being sent, whether its channels send, what
happened in the last hour and which errors were met. A count with a + was not counted to its end.

${askingUsage}`;

export const status: Command = {
  usage,
  async run(args, terminal) {
    const { values } = parseArgs({ args: [...args], options: askingOptions });
    const shown = await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
      showWorkspace(client, workspaceId),
    );
    if (values.json) printJson(terminal, shown);
    else if (terminal.isTty) printScreen(terminal, shown);
    else printFacts(terminal, shown);
    return exitCodes.ok;
  },
};

/** For machines: the document, flattened to a fact in each line. */
function printFacts(terminal: Terminal, shown: ShownWorkspace): void {
  terminal.out('fact\tvalue');
  for (const [name, value] of flattened('', shown)) terminal.out(`${name}\t${asField(value)}`);
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
      .map(([name, count]) => `${count}${mark(shown, name)} ${name.replaceAll('_', ' ')}`)
      .join(' · ');
  const facts: readonly (readonly [string, string])[] = [
    ['waiting', counts(waiting)],
    ['oldest due', oldestInWords(shown)],
    ['next send', shown.next_send_at === null ? '–' : relative(shown.next_send_at, now)],
    ['sending', sendingInWords(sending)],
    ['channels', counts(withoutZeros(channels)) || 'none'],
    ...shown.groups.map(
      (group, index) => [index === 0 ? 'groups' : '', groupInWords(group, now)] as const,
    ),
    ['last hour', counts(lastHour)],
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

function mark(shown: ShownWorkspace, name: string): string {
  return shown.at_least.includes(name) ? '+' : '';
}

function oldestInWords({ oldest_due: oldest, now }: ShownWorkspace): string {
  return oldest === null
    ? '–'
    : `${relative(oldest.due_since, now)} in ${oldest.channel_id}, ${oldest.delivery_id}`;
}

function groupInWords(group: ShownWorkspace['groups'][number], now: Date): string {
  const { platform, rate_group: name, state, until, reason } = group;
  const when = until === null ? '' : relative(until, now);
  const words = {
    cooling_down: `cools down, opens ${when}`,
    resting: `rests, is probed ${when}`,
    probing: 'is probed with one post at a time',
    closed: 'is closed',
  };
  return `${platform}/${name} ${words[state]}${reason === null ? '' : `: ${oneLine(reason)}`}`;
}

function sendingInWords({ open, expiring, expired }: ShownWorkspace['sending']): string {
  if (open === 0) return 'nothing';
  const silent = expiring + expired;
  return silent === 0 ? String(open) : `${open}, of ${silent} the sender has not been heard lately`;
}

function errorColumns(now: Date): Column<ShownWorkspace['last_errors'][number]>[] {
  return [
    { title: 'error', cell: ({ code }) => ({ text: code, colour: 'red' }) },
    { title: 'times', align: 'right', cell: ({ count }) => String(count) },
    { title: 'last', cell: (row) => relative(row.last_at, now) },
    { title: 'in', cell: (row) => row.channel_id ?? '–' },
    { title: 'in words', shrinks: true, cell: ({ message }) => message ?? '' },
  ];
}
