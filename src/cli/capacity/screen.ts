// What a calculation says: to people a summary, a table and what to do; to machines the numbers.

import type { Terminal } from '../command.ts';
import type { Form } from '../screen/form.ts';
import { type Cell, inSchemaNames, type List, printJson, printList } from '../screen/table.ts';
import { span } from '../screen/times.ts';
import type { Capacity } from './capacity.ts';
import type { Part } from './parts.ts';
import type { Workload } from './workload.ts';

export function printCapacity(
  terminal: Terminal,
  form: Form,
  workload: Workload,
  capacity: Capacity,
): void {
  if (form === 'json') return printJson(terminal, inJson(workload, capacity));
  if (form === 'table') {
    for (const line of summary(workload, capacity)) terminal.out(line);
    terminal.out('');
  }
  printList(terminal, parts(workload), capacity.parts, { form });
  if (form === 'table') {
    terminal.out('');
    for (const line of verdict(capacity)) terminal.out(line);
  }
}

function inJson(workload: Workload, { parts: all, limit, ...facts }: Capacity): object {
  return {
    workload: {
      ...inSchemaNames(workload),
      platforms: workload.platforms.map(inSchemaNames),
    },
    ...inSchemaNames(facts),
    limit: limit.part,
    parts: all.map(inSchemaNames),
  };
}

function summary(workload: Workload, capacity: Capacity): string[] {
  const { workspaces, postsPerDay, share, platforms, peak } = workload;
  const channels = platforms.reduce((sum, each) => sum + each.channels, 0);
  const each = platforms.map(({ platform, channels: count }) => `${amount(count)} ${platform}`);
  const place = workspaces === 1 ? '' : ` in each of ${amount(workspaces)} workspaces`;
  return [
    `${counted(postsPerDay, 'post')} a day to ${amount(channels * share)} of ${counted(channels, 'channel')} (${each.join(', ')})${place}`,
    `${counted(capacity.deliveriesPerDay, 'delivery', 'deliveries')} a day, ${amount(capacity.deliveriesPerSecond)} a second at peak (${amount(peak)} times the average)`,
    `${bytes(capacity.storageBytesPerDay)} a day in tables, ${bytes(capacity.logBytesPerDay)} a day of log (WAL)`,
    `a post has reached its last channel ${spreadInWords(capacity)} its first, if nothing else is under way`,
  ];
}

function counted(count: number, one: string, more = `${one}s`): string {
  return `${amount(count)} ${count === 1 ? one : more}`;
}

function spreadInWords({ spreadSeconds }: Capacity): string {
  return spreadSeconds < 1 ? 'within a second of' : `${span(spreadSeconds * 1000)} after`;
}

function parts({ peak }: Workload): List<Part> {
  return {
    fields: ['part', 'used', 'carries', 'unit', 'use', 'atPeak', 'remedy'],
    columns: [
      { title: 'part', cell: inWords },
      { title: 'used', align: 'right', cell: ({ used }) => amount(used) },
      { title: 'carries', align: 'right', cell: ({ carries }) => amount(carries) },
      { title: 'unit', cell: ({ unit }) => unit },
      { title: 'use', align: 'right', cell: useCell },
      { title: '', cell: (part) => (part.use > 1 ? overInWords(part, peak) : '') },
    ],
  };
}

function useCell({ use }: Part): Cell {
  const colour = use > 1 ? 'red' : use > 0.7 ? 'yellow' : 'green';
  return { text: percent(use), colour };
}

function overInWords({ use, atPeak }: Part, peak: number): string {
  if (atPeak && use / peak <= 1) return 'late at peak, catches up';
  return atPeak ? 'never catches up' : 'too much';
}

/** What is used up, and what to do about it; or what will be used up first. */
function verdict({ parts: all, limit, mostPostsPerDay }: Capacity): string[] {
  const over = all.filter(({ use }) => use > 1).toSorted((a, b) => b.use - a.use);
  const most = `${amount(mostPostsPerDay)} posts a day`;
  if (over.length === 0) {
    return [
      `All of it is carried. The limit is ${inWords(limit)}, which ends at ${most}; then ${limit.remedy}.`,
    ];
  }
  return [
    `Not all of it is carried. The limit is ${inWords(limit)}${limit.grows ? `, which ends at ${most}` : ''}.`,
    ...over.map((part) => `  ${inWords(part)}: ${part.remedy}`),
  ];
}

function inWords({ part }: Part): string {
  return part.replaceAll('_', ' ');
}

function percent(use: number): string {
  return use < 0.01 && use > 0 ? '< 1 %' : `${amount(Math.round(use * 100))} %`;
}

/** With as many digits as say something: 1,234; 12.3; 0.046. */
export function amount(value: number): string {
  if (value >= 100 || Number.isInteger(value)) {
    return Math.round(value).toLocaleString('en-US');
  }
  return Number(value.toPrecision(value < 1 ? 2 : 3)).toLocaleString('en-US', {
    maximumFractionDigits: 6,
  });
}

function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(count) / 3)));
  return `${amount(count / 1000 ** step)} ${units[step]}`;
}
