// What became of a post in each channel, in words.

import type { ChannelVerdict, Enqueued } from '../db/intake.ts';
import type { Terminal } from './command.ts';
import { type Colour, inSchemaNames, type List, printList } from './table.ts';
import { inFull } from './times.ts';

type Accepted = Extract<Enqueued, { verdict: 'accepted' }>;

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
    { title: 'in words', shrinks: true, cell: (row) => row.words },
  ],
};

export function printVerdicts(terminal: Terminal, enqueued: Accepted, now: Date): void {
  const { messageId, traceId, seen, channels } = enqueued;
  if (terminal.isTty) {
    const known = seen === 'before' ? ', known before' : '';
    terminal.out(`message ${messageId}${known}, trace ${traceId}\n`);
  }
  if (channels.length === 0) {
    terminal.err('the workspace has no channels; make some with outrider apply <file>');
  } else if (channels.every((each) => each.verdict === 'not_routed')) {
    terminal.err('no channel takes this post: see their route filters');
  }
  const rows = channels.map((each) => ({
    channelId: each.channelId,
    verdict: each.verdict,
    deliveryId: 'deliveryId' in each ? each.deliveryId : null,
    words: verdictInWords(each, now),
  }));
  printList(terminal, list, rows, { json: false });
}

export function verdictsAsJson({ channels, ...rest }: Accepted): object {
  return { ...inSchemaNames(rest), channels: channels.map(inSchemaNames) };
}

const rules: Readonly<Record<Extract<ChannelVerdict, { rule: string }>['rule'], string>> = {
  disabled: 'the channel is disabled',
  include_any: 'the post has none of the tags that include_any asks for',
  include_all: 'the post lacks a tag that include_all asks for',
  exclude: 'the post has a tag that exclude keeps out',
};

function verdictInWords(each: ChannelVerdict, now: Date): string {
  if (each.verdict === 'not_routed') return rules[each.rule];
  if (each.verdict === 'validation_failed') return each.reason;
  if (each.verdict === 'queued') {
    const at = new Date(each.notBefore);
    return at > now ? `will be sent at ${inFull(at, now)}` : 'will be sent as soon as possible';
  }
  if (each.until === null) return 'the same post is on its way there';
  return `the same post was sent there; again from ${inFull(new Date(each.until), now)} on`;
}
