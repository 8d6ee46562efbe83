import { parseArgs } from 'node:util';
import { listChannels } from '../db/inspect.ts';
import { type ChannelState, type ListedChannel, waitingCountsTo } from '../db/inspect-rows.ts';
import { askingOptions, askingUsage, inWorkspace, subcommandOf } from './asking.ts';
import { type Command, exitCodes } from './command.ts';
import { oneLine } from './shown-text.ts';
import { type Cell, type Colour, type List, printList } from './table.ts';
import { relative } from './times.ts';

const usage = `outrider channels list [options]

The channels of a workspace: whether each sends now and if not until when, what waits for it (counted up to
${waitingCountsTo}), what is being sent and when it last sent something.

${askingUsage}`;

export const channels: Command = {
  usage,
  async run(args, terminal) {
    subcommandOf(args, ['list']);
    const { values } = parseArgs({ args: args.slice(1), options: askingOptions });
    const rows = await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
      listChannels(client, workspaceId),
    );
    const { json } = values;
    if (terminal.isTty && !json && rows.length === 0) {
      terminal.out('There are no channels yet; make some with outrider apply <file>.');
    } else printList(terminal, channelList(new Date()), rows, { json });
    if (terminal.isTty && !json) for (const line of reasonsOf(rows)) terminal.out(line);
    return exitCodes.ok;
  },
};

/** What keeps whole rate groups from sending, each once. */
function reasonsOf(rows: readonly ListedChannel[]): Set<string> {
  return new Set(
    rows.flatMap(({ platform, rateGroup, stateReason }) =>
      stateReason === null ? [] : `${platform}/${rateGroup}: ${oneLine(stateReason)}`,
    ),
  );
}

function channelList(now: Date): List<ListedChannel> {
  return {
    fields: [
      'channelId',
      'platform',
      'title',
      'targetId',
      'rateGroup',
      'enabled',
      'state',
      'stateUntil',
      'stateReason',
      'waiting',
      'sending',
      'lastSentAt',
      'errorStreak',
      'rateRps',
      'maxParallel',
    ],
    columns: [
      { title: 'channel', cell: (row) => row.channelId },
      { title: 'platform', cell: (row) => row.platform },
      { title: 'state', cell: (row) => stateCell(row.state, row.stateUntil, now) },
      { title: 'waiting', align: 'right', cell: ({ waiting }) => atMost(waiting, waitingCountsTo) },
      { title: 'sending', align: 'right', cell: (row) => `${row.sending}/${row.maxParallel}` },
      { title: 'last sent', cell: (row) => (row.lastSentAt ? relative(row.lastSentAt, now) : '–') },
      { title: 'errors', align: 'right', cell: ({ errorStreak }) => streakCell(errorStreak) },
      { title: 'pace', align: 'right', cell: ({ rateRps }) => (rateRps ? `${rateRps}/s` : '–') },
      { title: 'target', cell: (row) => row.targetId },
      { title: 'title', shrinks: true, cell: (row) => row.title ?? '' },
    ],
  };
}

const stateColours: Readonly<Record<ChannelState, Colour>> = {
  open: 'green',
  paused: 'yellow',
  cooling_down: 'yellow',
  resting: 'yellow',
  probing: 'yellow',
  closed: 'gray',
  credential_refused: 'red',
  disabled: 'red',
};

function stateCell(state: ChannelState, until: Date | null, now: Date): Cell {
  const word = state.replaceAll('_', ' ');
  const text = until === null ? word : `${word}, opens ${relative(until, now)}`;
  return { text, colour: stateColours[state] };
}

function streakCell(streak: number): Cell {
  return { text: String(streak), colour: streak > 0 ? 'red' : undefined };
}

/** A count that stopped there may be more. */
function atMost(count: number, end: number): string {
  return count >= end ? `${count}+` : String(count);
}
