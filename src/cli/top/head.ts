// The head of the screen: the workspace, the queue by status, what was sent lately, and what is the matter.

import { queueCounts, type ShownActivity } from '../../db/activity-rows.ts';
import { channelStates } from '../../db/channel-rows.ts';
import { shortState, stateColours } from '../channels/list.ts';
import { oneLine, widthOf } from '../screen/shown-text.ts';
import type { Cell } from '../screen/table.ts';
import { relative } from '../screen/times.ts';
import type { Line } from './cells.ts';
import { changeInWords, number } from './numbers.ts';
import type { Picture } from './picture.ts';

export function headLines(picture: Picture, columns: number): Line[] {
  const { view, before, trouble } = picture;
  // There is always a line for it, so that the lists stay where they are.
  const last: Line = { pieces: noticesOf(picture) };
  if (view === undefined) {
    const waits: Line = { pieces: [{ text: 'outrider top', colour: 'bold' }] };
    return trouble === undefined
      ? [waits, { pieces: [{ text: 'asking the database …', colour: 'gray' }] }]
      : [waits, last];
  }
  const { activity } = view;
  return [
    nameLine(picture, activity, columns),
    queueLine(activity, before?.activity),
    latelyLine(activity),
    channelLine(activity),
    last,
  ];
}

function nameLine({ state, everyMs }: Picture, activity: ShownActivity, columns: number): Line {
  const { workspace_id: id, name, status, now } = activity;
  const title = name === id ? '' : ` (${oneLine(name)})`;
  const left: Cell[] = [
    { text: `outrider top · ${id}`, colour: 'bold' },
    { text: `${title} is ` },
    { text: status, colour: status === 'active' ? 'green' : 'yellow' },
  ];
  const pace = state.isPaused ? 'paused' : `every ${everyMs / 1000} s`;
  const right = `${pace} · ${now.toISOString().slice(11, 19)} UTC`;
  const used = left.reduce((sum, each) => sum + widthOf(each.text), 0);
  const space = ' '.repeat(Math.max(2, columns - used - right.length));
  const colour = state.isPaused ? 'yellow' : 'gray';
  return { pieces: [...left, { text: space }, { text: right, colour }] };
}

function queueLine(activity: ShownActivity, before: ShownActivity | undefined): Line {
  const { queue, at_least: cut, oldest_due: oldest, now } = activity;
  const counts = queueCounts.flatMap((name, n): Cell[] => {
    const count = queue[name];
    const change = changeInWords(before?.queue[name], count);
    return [
      ...(n === 0 ? [] : [{ text: ' · ', colour: 'gray' as const }]),
      {
        text: `${number(count)}${cut.includes(name) ? '+' : ''}`,
        colour: count > 0 ? 'bold' : undefined,
      },
      { text: ` ${name}` },
      ...(change === '' ? [] : [{ text: ` ${change}`, colour: 'yellow' as const }]),
    ];
  });
  const since =
    oldest === null
      ? ''
      : ` · oldest due ${relative(oldest.due_since, now)} in ${oldest.channel_id}`;
  return { pieces: [{ text: 'queue     ', colour: 'gray' }, ...counts, { text: since }] };
}

function latelyLine({ lately, now, senders }: ShownActivity): Line {
  const { since, sent, ...others } = lately;
  const seconds = Math.max(1, Math.round((now.getTime() - since.getTime()) / 1000));
  const span = seconds === 60 ? 'minute' : `${seconds} s`;
  const bad = Object.entries(others).filter(([, count]) => count > 0);
  return {
    pieces: [
      { text: 'lately    ', colour: 'gray' },
      { text: number(sent), colour: sent > 0 ? 'bold' : undefined },
      { text: ` sent in the last ${span}` },
      ...bad.flatMap(([name, count]): Cell[] => [
        { text: ' · ', colour: 'gray' },
        { text: `${number(count)} ${name}`, colour: name === 'deduped' ? undefined : 'red' },
      ]),
      {
        text: ` · ${senders} ${senders === 1 ? 'process sends' : 'processes send'}`,
        colour: 'gray',
      },
    ],
  };
}

function channelLine({ channel_states: states }: ShownActivity): Line {
  const present = channelStates.filter((each) => states[each] > 0);
  const counts = present.flatMap((state, n): Cell[] => [
    ...(n === 0 ? [] : [{ text: ' · ', colour: 'gray' as const }]),
    { text: `${number(states[state])} ${shortState(state)}`, colour: stateColours[state] },
  ]);
  const none: Cell[] = [{ text: 'none' }];
  return {
    pieces: [{ text: 'channels  ', colour: 'gray' }, ...(present.length === 0 ? none : counts)],
  };
}

/** What matters most: the database is gone, something is filtered, nobody sends. */
function noticesOf({ view, trouble, state }: Picture): Cell[] {
  const notices: Cell[] = [];
  if (trouble !== undefined) notices.push({ text: trouble.words, colour: 'red' });
  if (state.filter !== '') notices.push({ text: `filter: ${state.filter}`, colour: 'yellow' });
  if (view !== undefined && isLeftLying(view.activity)) {
    const text = 'no dispatcher runs: outrider run dispatch sends what is due';
    notices.push({ text, colour: 'yellow' });
  }
  return notices.flatMap((each, n): Cell[] => (n === 0 ? [each] : [{ text: ' · ' }, each]));
}

/** Something is due and nobody sends: no process of Outrider, nor any other program. */
function isLeftLying({ senders, queue, lately }: ShownActivity): boolean {
  return senders === 0 && queue.due > 0 && queue.sending === 0 && lately.sent === 0;
}
