// What a replay says: which deliveries would be different, and how. Recorded posts are masked: the log of a CI keeps what it
// prints.

import { maskJson, maskText } from '../../masking.ts';
import type { Arrival } from '../../simulate/delivery.ts';
import type { Comparison, Difference, Fate } from '../../simulate/differences.ts';
import type { Terminal } from '../command.ts';
import type { Form } from '../screen/form.ts';
import { cutTo, oneLine } from '../screen/shown-text.ts';
import { type Colour, paint, printJson, tabbedLines, terminalWidth } from '../screen/table.ts';
import { diffOf } from './text-diff.ts';

export interface Replayed {
  readonly workspaceId: string;
  readonly arrivals: readonly Arrival[];
  readonly comparison: Comparison;
  readonly changes: readonly string[];
}

const kinds = {
  added: { sign: '+', colour: 'green', words: 'added' },
  lost: { sign: '-', colour: 'red', words: 'lost' },
  suppressed: { sign: '-', colour: 'yellow', words: 'suppressed' },
  refused: { sign: '-', colour: 'red', words: 'refused' },
  rendered: { sign: '~', colour: 'yellow', words: 'rendered differently' },
} as const satisfies Record<Difference['kind'], { sign: string; colour: Colour; words: string }>;

export function printReplay(
  terminal: Terminal,
  form: Form,
  limit: number,
  replayed: Replayed,
): void {
  if (form === 'json') return printJson(terminal, inJson(replayed));
  const { differences } = replayed.comparison;
  if (form === 'tsv') {
    const rows = differences.map((each) => rowOf(each, replayed.arrivals));
    const fields = ['kind', 'channelId', 'receivedAt', 'post', 'why'] as const;
    for (const line of tabbedLines(fields, rows)) terminal.out(line);
    return;
  }
  for (const each of differences.slice(0, limit)) {
    for (const line of linesOf(terminal, each, replayed.arrivals)) terminal.out(line);
  }
  if (differences.length > limit) {
    terminal.out(`… and ${differences.length - limit} more; --limit shows them, --json has all`);
  }
  if (differences.length > 0) terminal.out('');
  terminal.out(totalsOf(replayed));
}

function totalsOf({ workspaceId, arrivals, comparison, changes }: Replayed): string {
  const { differences, same } = comparison;
  const counts = Object.entries(kinds).flatMap(([kind, { words }]) => {
    const count = differences.filter((each) => each.kind === kind).length;
    return count === 0 ? [] : [`${count.toLocaleString('en-US')} ${words}`];
  });
  const what = counts.length === 0 ? 'no delivery would be different' : counts.join(', ');
  const posts = `${arrivals.length.toLocaleString('en-US')} posts`;
  return `${workspaceId}, ${posts} with ${changes.join(', ')}: ${what}; ${same.toLocaleString('en-US')} deliveries the same.`;
}

function linesOf(
  terminal: Terminal,
  difference: Difference,
  arrivals: readonly Arrival[],
): string[] {
  const { kind, channelId, before, after } = difference;
  const { sign, colour, words } = kinds[kind];
  const { receivedAt, post } = rowOf(difference, arrivals);
  const why = whyOf(difference);
  const head = `${sign} ${oneLine(channelId)}  ${receivedAt}  ${words}${why === '' ? '' : `: ${why}`}`;
  const lines = [
    paint(terminal, colour, head),
    `    ${cutTo(post, Math.min(terminalWidth(), 120) - 4)}`,
  ];
  if (before.kind === 'queued' && after.kind === 'queued')
    lines.push(...diffLines(terminal, before, after));
  return lines;
}

type Queued = Extract<Fate, { kind: 'queued' }>;

function diffLines(terminal: Terminal, before: Queued, after: Queued): string[] {
  const [was, is] = [before.rendering, after.rendering];
  if (was === undefined || is === undefined) return [];
  if (was.text === is.text)
    return [`    the text is the same; ${maskText(was.plan)} becomes ${maskText(is.plan)}`];
  return diffOf(was.text, is.text).map(({ sign, text }) => {
    const line = `      ${sign} ${oneLine(maskText(text))}`.trimEnd();
    return sign === ' ' ? line : paint(terminal, sign === '+' ? 'green' : 'red', line);
  });
}

/** Of what was not sent before, why; of what is not sent any more, why not. */
function whyOf({ kind, before, after }: Difference): string {
  const fate = kind === 'added' ? before : after;
  if (fate.kind === 'queued') return '';
  return kind === 'added' ? `until now ${fate.reason}` : fate.reason;
}

function rowOf(difference: Difference, arrivals: readonly Arrival[]) {
  const { at = 0, post = {} } = arrivals[difference.post] ?? {};
  const words = [post['title'], post['text']].filter((each) => typeof each === 'string');
  return {
    kind: difference.kind,
    channelId: difference.channelId,
    receivedAt: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
    post: oneLine(maskText(words.join(' · '))),
    why: whyOf(difference),
  };
}

function inJson({ workspaceId, arrivals, comparison, changes }: Replayed): object {
  return {
    workspace: workspaceId,
    posts: arrivals.length,
    changes,
    same: comparison.same,
    differences: comparison.differences.map((each) => {
      const { kind, channelId, receivedAt, post, why } = rowOf(each, arrivals);
      return {
        kind,
        channel_id: channelId,
        received_at: receivedAt,
        post,
        why: why === '' ? null : why,
        before: renderingOf(each.before),
        after: renderingOf(each.after),
      };
    }),
  };
}

function renderingOf(fate: Fate): object | null {
  if (fate.kind !== 'queued' || fate.rendering === undefined) return null;
  const { text, plan } = fate.rendering;
  const parsed: unknown = JSON.parse(plan);
  return { text: maskText(text), plan: maskJson(parsed) };
}
