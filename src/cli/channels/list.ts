// Channels at a glance: which of them do not send, why, and until when.

import {
  type ChannelGate,
  type ChannelState,
  channelStates,
  groupStates,
  type ListedChannel,
  waitingCountsTo,
} from '../../db/channel-rows.ts';
import { askingOptions, inWorkspace } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { nearest } from '../given/nearest.ts';
import { readOptions, text } from '../given/options.ts';
import { type Form, formOf } from '../screen/form.ts';
import { groupInWords } from '../screen/group-words.ts';
import { type Cell, type Colour, type List, paint, printList } from '../screen/table.ts';
import { relative, span } from '../screen/times.ts';
import { intervalOf, watching, watchOptions } from '../screen/watching.ts';
import { channelsBy, choiceOptions, filterOf } from './choice.ts';

const options = { ...askingOptions, ...choiceOptions, ...watchOptions, state: text } as const;

export async function listed(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals: names } = readOptions(args, options);
  const form = formOf(terminal, values);
  const everyMs = intervalOf(terminal, form, values);
  const state = values.state === undefined ? undefined : stateOf(values.state);
  const filter = { ...filterOf({ names, ...values }), state };
  await inWorkspace(terminal, values.workspace, (place) =>
    watching(terminal, { everyMs }, async (screen) => {
      const rows = await channelsBy(place, filter);
      if (form === 'table' && rows.length === 0) screen.out(noneInWords(filter));
      else printChannels(screen, form, rows);
    }),
  );
  return exitCodes.ok;
}

/** Takes a state by its name, or by the shorter word that people use. */
function stateOf(given: string): ChannelState {
  const state = channelStates.find((each) => each === given || shortState(each) === given);
  if (state !== undefined) return state;
  const known = channelStates.map(shortState);
  const meant = nearest(given, known);
  const instead =
    meant === undefined ? `a channel is ${known.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`--state ${given}: ${instead}`);
}

export function shortState(state: ChannelState): string {
  return state.replace('cooling_down', 'cooling').replace('credential_refused', 'refused');
}

function noneInWords(filter: object): string {
  const isChosen = Object.values(filter).some((each) => each !== undefined);
  if (!isChosen) return 'There are none. outrider apply <file> makes channels.';
  return 'There are none of that kind. outrider channels lists all.';
}

function printChannels(terminal: Terminal, form: Form, rows: readonly ListedChannel[]): void {
  const now = new Date();
  if (form === 'table') {
    for (const line of groupLines(rows, now)) terminal.out(paint(terminal, 'yellow', line));
  }
  printList(terminal, channelList(now), rows, { form });
}

/** The rate groups that do not send, each once and not with every channel of it. */
function groupLines(rows: readonly ListedChannel[], now: Date): string[] {
  const stopped = rows.flatMap(({ platform, rateGroup, gates }) => {
    const gate = gates.find((each) => each.of_group);
    const state = groupStates.find((each) => each === gate?.state);
    if (gate === undefined || state === undefined) return [];
    return [{ platform, rateGroup, state, until: gate.until, reason: gate.reason }];
  });
  const groups = Map.groupBy(stopped, (each) => `${each.platform}/${each.rateGroup}`);
  const lines = [...groups.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const words = groupInWords(first, now);
    return [more.length === 0 ? words : `${words} (${more.length + 1} channels)`];
  });
  return lines.length === 0 ? [] : [...lines, ''];
}

function channelList(now: Date): List<ListedChannel> {
  return {
    fields: [
      'channelId',
      'platform',
      'title',
      'targetId',
      'authRef',
      'rateGroup',
      'enabled',
      'state',
      'stateUntil',
      'stateReason',
      'gates',
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
      { title: 'state', cell: (row) => stateCell(row, now) },
      { title: 'why', shrinks: 60, cell: whyOf },
      { title: 'waiting', align: 'right', cell: (row) => waitingInWords(row.waiting) },
      { title: 'errors', align: 'right', cell: ({ errorStreak }) => streakCell(errorStreak) },
      { title: 'credential', cell: (row) => row.authRef },
      { title: 'group', cell: (row) => row.rateGroup },
      { title: 'sending', align: 'right', cell: (row) => `${row.sending}/${row.maxParallel}` },
      { title: 'last sent', cell: (row) => (row.lastSentAt ? relative(row.lastSentAt, now) : '–') },
      { title: 'pace', align: 'right', cell: ({ rateRps }) => (rateRps ? `${rateRps}/s` : '–') },
      { title: 'target', cell: (row) => row.targetId },
      { title: 'title', shrinks: 8, cell: (row) => row.title ?? '' },
    ],
  };
}

export const stateColours: Readonly<Record<ChannelState, Colour>> = {
  open: 'green',
  paused: 'yellow',
  cooling_down: 'yellow',
  resting: 'yellow',
  probing: 'yellow',
  closed: 'gray',
  credential_refused: 'red',
  disabled: 'red',
};

/** What keeps a channel from sending: first the gate that opens last, then the others. */
function stateCell({ state, gates }: ListedChannel, now: Date): Cell {
  const texts = gatesToTell(gates).map((gate, n) => {
    const word = gate.state.replaceAll('_', ' ');
    if (gate.of_group) return `group: ${word}`;
    if (gate.until === null) return word;
    if (n === 0) return `${word}, opens ${relative(gate.until, now)}`;
    return `${word} ${span(gate.until.getTime() - now.getTime())} more`;
  });
  return { text: texts.join('; ') || state, colour: stateColours[state] };
}

function whyOf({ gates }: ListedChannel): string {
  const reasons = gatesToTell(gates).map((gate) => {
    if (gate.state === 'closed') return 'outside its posting window';
    return gate.of_group ? null : gate.reason;
  });
  return [...new Set(reasons.filter((each) => each !== null))].join('; ');
}

/** The channel's own gates, and one of its rate group's; the lines above the list say more about those. */
function gatesToTell(gates: readonly ChannelGate[]): readonly ChannelGate[] {
  const ofGroup = gates.find((each) => each.of_group);
  return gates.filter((each) => !each.of_group || each === ofGroup);
}

function streakCell(streak: number): Cell {
  return { text: String(streak), colour: streak > 0 ? 'red' : undefined };
}

/** Counting stops at a limit: then there may be more. */
function waitingInWords(count: number): string {
  return count >= waitingCountsTo ? `${count}+` : String(count);
}
