// One delivery in words: where it stands, what happened to it and what comes next.

import type { Explanation } from '../../db/explain.ts';
import type { DeliveryStatus, ShownDelivery } from '../../db/inspect.ts';
import type { Terminal } from '../command.ts';
import { printReason, reasonInWords } from '../explain/reasons.ts';
import { errorInWords } from '../screen/event-words.ts';
import type { Form } from '../screen/form.ts';
import { lines, oneLine } from '../screen/shown-text.ts';
import { type Colour, paint, printFacts, printJson } from '../screen/table.ts';
import { printTimeline } from '../screen/timeline.ts';
import { inFull, span } from '../screen/times.ts';

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

interface View {
  readonly form: Form;
  readonly now: Date;
  /** Why it waits, or how it ended; the main reason first. */
  readonly reasons: readonly Explanation[];
}

export function printDelivery(terminal: Terminal, shown: ShownDelivery, view: View): void {
  if (view.form === 'json') printJson(terminal, shown);
  else if (view.form === 'table') printForPeople(terminal, shown, view);
  else printForMachines(terminal, shown, view);
}

/** The facts, an empty line, the timeline. */
function printForMachines(terminal: Terminal, shown: ShownDelivery, view: View): void {
  const { delivery, channel, message } = shown;
  const { parts, last_error: error, ...rest } = delivery;
  const [main] = view.reasons;
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
    next: main === undefined ? null : reasonInWords(main, view.now),
    advice: main?.advice,
  };
  printFacts(terminal, facts);
  terminal.out('');
  printTimeline(terminal, shown.events, view);
}

function printForPeople(terminal: Terminal, shown: ShownDelivery, view: View): void {
  const { delivery, channel, message } = shown;
  const { now } = view;
  const colour = statusColours[delivery.status];
  const state = colour === undefined ? delivery.status : paint(terminal, colour, delivery.status);
  terminal.out(`${paint(terminal, 'bold', delivery.delivery_id)} is ${state}`);
  for (const reason of view.reasons) printReason(terminal, reason, { now, indent: 2 });
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
  printTimeline(terminal, shown.events, view);
}

function waitedOf({ delivery }: ShownDelivery): string {
  const { waited_ms: waited } = delivery;
  return waited === null ? '' : `, made to wait ${span(waited)} so far`;
}

function unknownOf({ delivery }: ShownDelivery): string {
  return delivery.outcome_unknown ? ', and it may have arrived' : '';
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
