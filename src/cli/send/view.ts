// What became of a post in each channel, in words.

import type { ListedDelivery } from '../../db/delivery-rows.ts';
import type { PostExplanation } from '../../db/explain.ts';
import type { ChannelVerdict } from '../../db/intake.ts';
import type { Accepted } from '../../ingest/enqueue-post.ts';
import type { Terminal } from '../command.ts';
import { reasonInWords } from '../explain/reasons.ts';
import type { Form } from '../screen/form.ts';
import { inSchemaNames, type List, paint, printJson, printList } from '../screen/table.ts';
import { verdictColours } from '../screen/verdict-colours.ts';

interface Row {
  readonly channelId: string;
  readonly verdict: ChannelVerdict['verdict'];
  readonly deliveryId: string | null;
  readonly words: string;
}

const list: List<Row> = {
  fields: ['channelId', 'verdict', 'deliveryId', 'words'],
  columns: [
    { title: 'channel', cell: (row) => row.channelId },
    {
      title: 'verdict',
      cell: ({ verdict }) => ({ text: verdict, colour: verdictColours[verdict] }),
    },
    { title: 'delivery', cell: (row) => row.deliveryId ?? '–' },
    { title: 'in words', shrinks: 8, cell: (row) => row.words },
  ],
};

interface Known {
  /** Those of the message as they stand now. */
  readonly deliveries: readonly ListedDelivery[];
  /** What became of it in each channel, and why. */
  readonly reasons: readonly PostExplanation[];
  readonly form: Form;
}

export function printVerdicts(
  terminal: Terminal,
  enqueued: Accepted,
  { deliveries, reasons, form }: Known,
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
    words: verdictInWords(each, reasons, now),
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

const suppressed: readonly unknown[] = ['repeat_of_sent', 'repeat_in_flight', 'nearly_the_same'];

function verdictInWords(
  { channelId, verdict }: ChannelVerdict,
  reasons: readonly PostExplanation[],
  now: Date,
): string {
  const ofChannel = reasons.filter((each) => each.channelId === channelId);
  // A repeat is explained by what it repeats, which the channel has as its delivery.
  const meant = ofChannel.find(
    (each) => verdict === 'deduped' && suppressed.includes(each.detail['reason']),
  );
  const reason = meant ?? ofChannel[0];
  return reason === undefined ? '' : reasonInWords(reason, now);
}
