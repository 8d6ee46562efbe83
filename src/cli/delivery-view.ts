// One delivery in words: where it stands, what happened to it and what comes next.

import type { DeliveryStatus, ShownDelivery } from '../db/inspect.ts';
import type { Terminal } from './command.ts';
import { errorInWords, eventInWords, noteOf } from './event-words.ts';
import type { Form } from './form.ts';
import { stepInWords } from './next-step.ts';
import { lines, oneLine } from './shown-text.ts';
import {
  alignedLines,
  type Colour,
  type Column,
  paint,
  printFacts,
  printJson,
  tabbedLines,
  terminalWidth,
} from './table.ts';
import { inFull, relative, span } from './times.ts';

type Event = ShownDelivery['events'][number];

export const statusColours: Readonly<Record<DeliveryStatus, Colour | undefined>> = {
  queued: undefined,
  claimed: undefined,
  sending: 'yellow',
  sent: 'green',
  retry: 'yellow',
  deduped: 'gray',
  failed_permanent: 'red',
  dead: 'red',
};

export function printDelivery(
  terminal: Terminal,
  shown: ShownDelivery,
  { form, now }: { readonly form: Form; readonly now: Date },
): void {
  if (form === 'json') printJson(terminal, shown);
  else if (form === 'table') printForPeople(terminal, shown, now);
  else printForMachines(terminal, shown, now);
}

/** The facts, an empty line, the timeline. */
function printForMachines(terminal: Terminal, shown: ShownDelivery, now: Date): void {
  const { delivery, channel, message } = shown;
  const { parts, last_error: error, ...rest } = delivery;
  const facts = {
    ...rest,
    parts: parts.length,
    parts_sent: parts.filter((part) => part.provider_message_id !== null).length,
    last_error: error === null ? null : errorInWords(error),
    channel_id: channel.channel_id,
    channel_state: channel.state,
    channel_state_until: channel.state_until,
    channel_state_reason: channel.state_reason,
    message_id: message.message_id,
    next: nextInWords(shown, now),
  };
  printFacts(terminal, facts);
  terminal.out('');
  const timeline = shown.events.map((event) => ({
    ts: event.ts,
    action: event.action,
    attempt: event.attempt,
    error: event.error === null ? null : errorInWords(event.error),
    note: noteOf(event, now),
  }));
  for (const line of tabbedLines(['ts', 'action', 'attempt', 'error', 'note'], timeline)) {
    terminal.out(line);
  }
}

function printForPeople(terminal: Terminal, shown: ShownDelivery, now: Date): void {
  const { delivery, channel, message } = shown;
  const colour = statusColours[delivery.status];
  const state = colour === undefined ? delivery.status : paint(terminal, colour, delivery.status);
  terminal.out(`${paint(terminal, 'bold', delivery.delivery_id)} is ${state}`);
  terminal.out(`  ${nextInWords(shown, now)}`);
  terminal.out('');
  const title = channel.title === null ? '' : `, "${oneLine(channel.title)}"`;
  const facts: readonly (readonly [string, string])[] = [
    ['channel', `${channel.channel_id} (${channel.platform} ${channel.target_id}${title})`],
    [
      'attempts',
      `${delivery.attempt} of ${delivery.attempt_limit}${waitedOf(shown)}${unknownOf(shown)}`,
    ],
    ['message', `${message.message_id}${message.tags.length === 0 ? '' : ` · ${tagsOf(shown)}`}`],
    ['accepted', inFull(delivery.created_at, now)],
    ['trace', oneLine(delivery.trace_id)],
    ...(delivery.parts.length > 1 ? [['parts', partsInWords(shown)] as const] : []),
    ...(delivery.last_error === null
      ? []
      : [['last error', errorInWords(delivery.last_error)] as const]),
  ];
  for (const [name, words] of facts) {
    terminal.out(`  ${paint(terminal, 'gray', name.padEnd(10))} ${words}`);
  }
  terminal.out('');
  for (const line of lines(delivery.rendered_text)) terminal.out(`  │ ${line}`);
  terminal.out('');
  for (const line of alignedLines(eventColumns(now), shown.events, terminalWidth() - 2)) {
    terminal.out(`  ${line}`);
  }
}

function waitedOf({ delivery }: ShownDelivery): string {
  const { waited_ms: waited } = delivery;
  return waited === null ? '' : `, made to wait ${span(waited)} so far`;
}

function unknownOf({ delivery }: ShownDelivery): string {
  return delivery.outcome_unknown ? ', the last of which may have arrived' : '';
}

function tagsOf({ message }: ShownDelivery): string {
  return message.tags.map((tag) => `#${oneLine(tag)}`).join(' ');
}

function partsInWords({ delivery }: ShownDelivery): string {
  return delivery.parts
    .map(({ kind, media, provider_message_id: id }) => {
      const what = kind === 'media' ? `${media} media` : kind;
      return id === null ? `${what} not sent` : `${what} sent as ${id}`;
    })
    .join(' · ');
}

function eventColumns(now: Date): Column<Event>[] {
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
    { title: 'attempt', align: 'right', cell: (event) => String(event.attempt) },
    {
      title: 'in words',
      shrinks: 8,
      cell: (event) => eventInWords(event, now),
    },
  ];
}

/** What comes next, or how it ended. */
function nextInWords({ delivery, channel, next }: ShownDelivery, now: Date): string {
  if (next !== null) return stepInWords(next, channel.channel_id, now);
  const since = (at: Date | null): string => (at === null ? '' : ` ${inFull(at, now)}`);
  const why = delivery.last_error === null ? '' : `: ${errorInWords(delivery.last_error)}`;
  if (delivery.status === 'sent') {
    return `was sent${since(delivery.sent_at)} as ${delivery.provider_message_id ?? '?'}`;
  }
  if (delivery.status === 'failed_permanent') {
    const doubt = delivery.outcome_unknown
      ? '; outrider deliveries resolve, once you have looked'
      : '';
    return `failed for good${since(delivery.failed_at)}${why}${doubt}`;
  }
  if (delivery.status === 'dead') {
    return `was given up after ${delivery.attempt} attempts${since(delivery.failed_at)}${why}`;
  }
  return 'repeats what the channel has already; nothing will be sent';
}
