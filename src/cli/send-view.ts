// What became of a post in each channel, in words.

import type { ListedDelivery } from '../db/delivery-rows.ts';
import type { ChannelVerdict } from '../db/intake.ts';
import type { Accepted } from '../ingest/enqueue-post.ts';
import type { Terminal } from './command.ts';
import type { Form } from './form.ts';
import { stepInWords } from './next-step.ts';
import { type Colour, inSchemaNames, type List, paint, printJson, printList } from './table.ts';
import { inFull } from './times.ts';

interface Row {
  readonly channelId: string;
  readonly verdict: ChannelVerdict['verdict'];
  readonly deliveryId: string | null;
  readonly words: string;
}

const colours: Readonly<Record<ChannelVerdict['verdict'], Colour>> = {
  queued: 'green',
  deduped: 'gray',
  validation_failed: 'red',
  not_routed: 'gray',
};

const list: List<Row> = {
  fields: ['channelId', 'verdict', 'deliveryId', 'words'],
  columns: [
    { title: 'channel', cell: (row) => row.channelId },
    { title: 'verdict', cell: ({ verdict }) => ({ text: verdict, colour: colours[verdict] }) },
    { title: 'delivery', cell: (row) => row.deliveryId ?? '–' },
    { title: 'in words', shrinks: 8, cell: (row) => row.words },
  ],
};

/** `deliveries` are those of the message as they stand now. */
export function printVerdicts(
  terminal: Terminal,
  enqueued: Accepted,
  deliveries: readonly ListedDelivery[],
  form: Form,
): void {
  const { messageId, traceId, seen, channels } = enqueued;
  const waiting = new Map(deliveries.map((each) => [each.deliveryId, each]));
  if (form === 'json') {
    printJson(terminal, asJson(enqueued, waiting));
    return;
  }
  if (form === 'table') {
    const known = seen === 'before' ? ', known before' : '';
    terminal.out(`message ${messageId}${known}, trace ${traceId}\n`);
  }
  if (channels.length === 0) {
    terminal.err('the workspace has no channels; make some with outrider apply <file>');
  } else if (channels.every((each) => each.verdict === 'not_routed')) {
    terminal.err('no channel takes this post: see their route filters');
  }
  const now = new Date();
  const rows = channels.map((each) => ({
    channelId: each.channelId,
    verdict: each.verdict,
    deliveryId: 'deliveryId' in each ? each.deliveryId : null,
    words: verdictInWords(each, waiting, now),
  }));
  if (form === 'tsv') printList(terminal, list, rows, { form });
  else printForPeople(terminal, rows);
}

const listedAtMost = 3;

/** Channels that do not take the post are summed up when there are many: a post may be for five of forty. */
function printForPeople(terminal: Terminal, rows: readonly Row[]): void {
  const unrouted = rows.filter((each) => each.verdict === 'not_routed');
  const isSummedUp = unrouted.length > listedAtMost && unrouted.length < rows.length;
  const listed = isSummedUp ? rows.filter((each) => each.verdict !== 'not_routed') : rows;
  printList(terminal, list, listed, { form: 'table' });
  if (!isSummedUp) return;
  terminal.out('');
  for (const [words, group] of Map.groupBy(unrouted, (each) => each.words)) {
    const some = group.slice(0, listedAtMost).map((each) => each.channelId);
    const more = group.length - some.length;
    const which = `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    const line = `not routed to ${group.length} (${which}): ${words}`;
    terminal.out(paint(terminal, 'gray', line));
  }
}

function asJson(
  { channels, ...rest }: Accepted,
  waiting: ReadonlyMap<string, ListedDelivery>,
): object {
  return {
    ...inSchemaNames(rest),
    channels: channels.map((each) => {
      const delivery = each.verdict === 'queued' ? waiting.get(each.deliveryId) : undefined;
      if (delivery === undefined) return inSchemaNames(each);
      const { nextBecause, nextAt, nextReason } = delivery;
      return inSchemaNames({ ...each, nextBecause, nextAt, nextReason });
    }),
  };
}

const rules: Readonly<Record<Extract<ChannelVerdict, { rule: string }>['rule'], string>> = {
  disabled: 'the channel is disabled',
  include_any: 'the post has none of the tags that include_any asks for',
  include_all: 'the post lacks a tag that include_all asks for',
  exclude: 'the post has a tag that exclude keeps out',
  text_only: 'the channel takes text only, and the post has none',
};

function verdictInWords(
  each: ChannelVerdict,
  waiting: ReadonlyMap<string, ListedDelivery>,
  now: Date,
): string {
  if (each.verdict === 'not_routed') return rules[each.rule];
  if (each.verdict === 'validation_failed') return each.reason;
  if (each.verdict === 'queued') {
    const next = waiting.get(each.deliveryId);
    // A dispatcher may have it, or be done with it.
    if (next === undefined || next.nextBecause === null || next.nextBecause === 'being_sent') {
      return 'is being sent';
    }
    const { nextBecause: because, nextAt: at, nextReason } = next;
    return stepInWords({ because, at, reason: nextReason ?? undefined }, each.channelId, now);
  }
  if (each.because === 'similar') {
    const { deliveryId, score, suppressedId } = each;
    return `nearly the same (${score}) as delivery ${deliveryId}; outrider deliveries requeue ${suppressedId} sends it`;
  }
  if (each.until === null) return 'the same post is on its way there';
  return `the same post was sent there; again from ${inFull(new Date(each.until), now)} on`;
}
