// The answer to the question where a post is, and why.

import type { DeliveryStatus } from '../../db/delivery-rows.ts';
import type { FoundPost, PostExplanation } from '../../db/explain.ts';
import type { ShownDelivery } from '../../db/inspect.ts';
import type { Terminal } from '../command.ts';
import { statusColours } from '../deliveries/view.ts';
import type { Form } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import { type Colour, inSchemaNames, paint, printJson, tabbedLines } from '../screen/table.ts';
import { printTimeline } from '../screen/timeline.ts';
import { inFull } from '../screen/times.ts';
import { printAdvice, printReason, reasonInWords } from './reasons.ts';

export interface Answer {
  readonly isFound: boolean;
  readonly post: FoundPost | undefined;
  /** Those of a channel, and those of the post, each with the main one first. */
  readonly reasons: readonly PostExplanation[];
  /** What happened, if there is one delivery. */
  readonly events: ShownDelivery['events'];
}

interface Shown {
  readonly form: Form;
  readonly now: Date;
}

export function printAnswer(terminal: Terminal, answer: Answer, shown: Shown): void {
  if (shown.form === 'json') printJson(terminal, asJson(answer));
  else if (shown.form === 'table') printForPeople(terminal, answer, shown);
  else printForMachines(terminal, answer, shown);
}

function asJson({ isFound, post, reasons, events }: Answer): object {
  return {
    found: isFound,
    message_id: post?.messageId ?? null,
    source_ref: post?.sourceRef ?? null,
    excerpt: post?.excerpt ?? null,
    created_at: post?.createdAt ?? null,
    reasons: reasons.map(inSchemaNames),
    events,
  };
}

/** A line for each reason; of one delivery also an empty line and the timeline. */
function printForMachines(terminal: Terminal, { reasons, events }: Answer, shown: Shown): void {
  const rows = reasons.map((each) => ({ ...each, reason: each.detail['reason'] }));
  const fields = [
    'messageId',
    'deliveryId',
    'channelId',
    'status',
    'reason',
    'because',
    'until',
    'advice',
  ] as const;
  for (const line of tabbedLines(fields, rows)) terminal.out(line);
  if (events.length === 0) return;
  terminal.out('');
  printTimeline(terminal, events, shown);
}

function printForPeople(terminal: Terminal, answer: Answer, shown: Shown): void {
  const { post, reasons, events } = answer;
  if (post !== undefined) printPost(terminal, post, shown.now);
  const byChannel = [...Map.groupBy(reasons, (each) => each.channelId)];
  const channels = byChannel.filter(([id]) => id !== null).map(([, rows]) => rows);
  const isSummedUp = channels.filter(isUnrouted).length > listedAtMost;
  for (const rows of channels) {
    if (!isSummedUp || !isUnrouted(rows)) printChannel(terminal, rows, shown.now);
  }
  if (isSummedUp) printUnrouted(terminal, channels.filter(isUnrouted).flat(), shown.now);
  for (const [id, rows] of byChannel) {
    if (id !== null) continue;
    rows.forEach((row, n) => {
      if (n > 0 || channels.length > 0) terminal.out('');
      printReason(terminal, row, { now: shown.now, indent: 0, ...(n === 0 && bold(answer)) });
    });
  }
  if (events.length === 0) return;
  terminal.out('');
  printTimeline(terminal, events, shown);
}

function isUnrouted([first]: readonly PostExplanation[]): boolean {
  return first?.status === 'not_routed';
}

/** What is not found is answered by its first reason. */
function bold({ isFound }: Answer): { colour?: Colour } {
  return isFound ? {} : { colour: 'bold' };
}

function printPost(terminal: Terminal, post: FoundPost, now: Date): void {
  const words = post.excerpt === '' ? 'a post without words' : `“${oneLine(post.excerpt)}”`;
  terminal.out(paint(terminal, 'bold', words));
  const ref = post.sourceRef === null ? '' : ` as ${oneLine(post.sourceRef)}`;
  const facts = `came in ${inFull(post.createdAt, now)}${ref}, message ${post.messageId}`;
  terminal.out(paint(terminal, 'gray', facts));
}

function printChannel(terminal: Terminal, rows: readonly PostExplanation[], now: Date): void {
  const [first, ...rest] = rows;
  if (first === undefined) return;
  const { channelId, deliveryId, status } = first;
  const colour = colourOf(status);
  const state = status?.replace('_', ' ') ?? '';
  const painted = colour === undefined ? state : paint(terminal, colour, state);
  const id = deliveryId === null ? '' : paint(terminal, 'gray', `  ${deliveryId}`);
  terminal.out('');
  terminal.out(`${paint(terminal, 'bold', oneLine(channelId ?? ''))}: ${painted}${id}`);
  printReason(terminal, first, { now, indent: 2, colour: 'bold' });
  for (const row of rest) {
    terminal.out('');
    printReason(terminal, row, { now, indent: 2 });
  }
}

function colourOf(status: string | null): Colour | undefined {
  const known: Readonly<Record<string, Colour | undefined>> = {
    ...(statusColours satisfies Readonly<Record<DeliveryStatus, Colour | undefined>>),
    not_routed: 'gray',
  };
  return status === null ? undefined : known[status];
}

const listedAtMost = 3;

/** Channels that did not take the post, by what to do and by why: a post may be for five of forty. */
function printUnrouted(terminal: Terminal, rows: readonly PostExplanation[], now: Date): void {
  for (const [advice, alike] of Map.groupBy(rows, (each) => each.advice)) {
    terminal.out('');
    terminal.out(paint(terminal, 'gray', `not routed to ${alike.length} of the channels`));
    for (const [because, same] of Map.groupBy(alike, (each) => reasonInWords(each, now))) {
      const some = same.slice(0, listedAtMost).map((each) => each.channelId);
      const more = same.length - some.length;
      const which = `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      terminal.out(`  ${paint(terminal, 'bold', which)}: ${because}`);
    }
    printAdvice(terminal, advice, 2);
  }
}
