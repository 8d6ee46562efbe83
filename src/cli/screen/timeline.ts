// What happened to a delivery, event by event.

import type { ShownDelivery } from '../../db/inspect.ts';
import type { Terminal } from '../command.ts';
import { errorInWords, eventInWords, noteOf } from './event-words.ts';
import type { Form } from './form.ts';
import { alignedLines, type Column, tabbedLines, terminalWidth } from './table.ts';
import { relative } from './times.ts';

type Event = ShownDelivery['events'][number];

/** Lines for people, indented; tab-separated ones, with a header, for machines. */
export function printTimeline(
  terminal: Terminal,
  events: readonly Event[],
  { form, now }: { readonly form: Form; readonly now: Date },
): void {
  const printed =
    form === 'table'
      ? alignedLines(columns(now), events, terminalWidth() - 2).map((line) => `  ${line}`)
      : tabbedLines(['ts', 'action', 'attempt', 'error', 'note'], events.map(asFields(now)));
  for (const line of printed) terminal.out(line);
}

function asFields(now: Date) {
  return (event: Event) => ({
    ts: event.ts,
    action: event.action,
    attempt: event.attempt,
    error: event.error === null ? null : errorInWords(event.error),
    note: noteOf(event, now),
  });
}

function columns(now: Date): Column<Event>[] {
  return [
    ...firstColumns(now),
    { title: 'attempt', align: 'right', cell: (event) => String(event.attempt) },
    {
      title: 'in words',
      shrinks: 8,
      cell: (event) => eventInWords(event, now),
    },
  ];
}

/** When it was, and what happened. */
export function firstColumns(now: Date): Column<Pick<Event, 'ts' | 'action' | 'result'>>[] {
  return [
    { title: 'time', cell: ({ ts }) => ts.toISOString() },
    { title: '', cell: ({ ts }) => relative(ts, now) },
    {
      title: 'action',
      cell: ({ action, result }) => ({
        text: action,
        colour: result === 'error' ? 'red' : undefined,
      }),
    },
  ];
}
