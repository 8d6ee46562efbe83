// A preview for people: the verdict on each channel, then the post as each platform would show it.

import type { ButtonView } from '../../../sandbox/simulator.ts';
import { asDocument } from '../../preview/answers.ts';
import type {
  AcceptedPreview,
  ChannelPreview,
  PostPreview,
  Preview,
} from '../../preview/preview.ts';
import { inOneBubble, type PreviewMessage, type PreviewPart } from '../../preview/shown-parts.ts';
import type { Violation } from '../../preview/violations.ts';
import type { Terminal } from '../command.ts';
import type { Form } from '../screen/form.ts';
import { lines, oneLine, widthOf } from '../screen/shown-text.ts';
import { type List, paint, printJson, printList } from '../screen/table.ts';
import { inFull } from '../screen/times.ts';
import { verdictColours } from '../screen/verdict-colours.ts';
import { styledLines } from './styled-html.ts';
import { channelInWords, placeInWords, postInWords } from './words.ts';

interface Row {
  readonly channelId: string;
  readonly platform: string;
  readonly verdict: ChannelPreview['verdict'];
  readonly length: number | null;
  readonly lengthMax: number | null;
  readonly parts: number;
  readonly words: string;
  readonly text: string;
}

const list: List<Row> = {
  fields: ['channelId', 'platform', 'verdict', 'length', 'lengthMax', 'parts', 'words', 'text'],
  columns: [
    { title: 'channel', cell: (row) => row.channelId },
    { title: 'platform', cell: (row) => row.platform },
    {
      title: 'verdict',
      cell: ({ verdict }) => ({ text: verdict, colour: verdictColours[verdict] }),
    },
    { title: 'in words', shrinks: 8, cell: (row) => row.words },
  ],
};

export function printPreview(terminal: Terminal, preview: Preview, form: Form): void {
  if (form === 'json') return printJson(terminal, asDocument(preview));
  if (preview.verdict === 'rejected') {
    terminal.out(paint(terminal, 'red', 'the post would be rejected'));
    for (const violation of preview.violations) printViolation(terminal, violation);
    return;
  }
  const now = new Date();
  const rows = preview.channels.map((channel) => rowOf(channel, now));
  if (form === 'tsv') return printList(terminal, list, rows, { form });
  printNotes(terminal, preview, now);
  if (rows.length === 0) {
    terminal.err('the workspace has no channels; make some with outrider apply <file>');
    return;
  }
  printList(terminal, list, rows, { form });
  printPosts(terminal, preview.channels);
}

function rowOf(channel: ChannelPreview, now: Date): Row {
  const { channelId, platform, verdict, post } = channel;
  const messages = post?.parts.flatMap((part) => part.messages) ?? [];
  return {
    channelId,
    platform,
    verdict,
    length: post?.length ?? null,
    lengthMax: post?.lengthMax ?? null,
    parts: post?.parts.length ?? 0,
    words: channelInWords(channel, now),
    text: messages.map(({ text }) => text).join('\n'),
  };
}

function printNotes(terminal: Terminal, preview: AcceptedPreview, now: Date): void {
  const { receivedAt, seen, tags, notes } = preview;
  if (receivedAt !== null) {
    const when = inFull(new Date(receivedAt), now);
    terminal.out(paint(terminal, 'red', `the post would be dropped: it came already, at ${when}`));
  }
  const known =
    seen === 'before' ? ' (the same content was seen before: its first tags count)' : '';
  terminal.out(`tags: ${tags.length === 0 ? 'none' : tags.join(', ')}${known}`);
  for (const note of notes) terminal.out(paint(terminal, 'yellow', note));
  terminal.out('');
}

/** Channels that get the same post share its picture. */
function printPosts(terminal: Terminal, channels: readonly ChannelPreview[]): void {
  const groups = Map.groupBy(channels, (channel) => channel.post);
  for (const [post, group] of groups) {
    const [first] = group;
    if (post === null || first === undefined) continue;
    const names = group.map(({ channelId }) => channelId).join(', ');
    terminal.out('');
    terminal.out(`${paint(terminal, 'bold', first.platform)}: ${names}`);
    const facts = postInWords(post);
    if (facts !== '') terminal.out(`  ${facts}`);
    printPost(terminal, post);
  }
}

function printPost(terminal: Terminal, { renderedText, violations, parts }: PostPreview): void {
  for (const violation of violations) printViolation(terminal, violation);
  if (parts.length === 0 && violations.length === 0) {
    // Its platform has no simulator: it is shown as it would be sent.
    for (const line of lines(renderedText)) printLine(terminal, line);
  }
  for (const [n, part] of parts.entries()) {
    if (parts.length > 1) {
      const words = `  part ${n + 1} of ${parts.length}: ${partInWords(part)}`;
      terminal.out(paint(terminal, 'gray', words));
    }
    for (const message of inOneBubble(part)) printMessage(terminal, message);
  }
}

function partInWords({ kind, messages }: PreviewPart): string {
  const attached = messages.flatMap(({ attachments }) => attachments);
  const kinds = Map.groupBy(attached, (each) => each.kind);
  const counts = [...kinds].map(([name, some]) => `${some.length} ${name}`).join(', ');
  return kind === 'text' ? 'text' : `${kind}, ${counts}`;
}

function printMessage(terminal: Terminal, message: PreviewMessage): void {
  const attached = message.attachments.map(({ kind, label, isLink }) =>
    oneLine(`[${kind}] ${label}${isLink ? ' (not fetched)' : ''}`),
  );
  const text = message.html === '' ? [] : styledLines(terminal, message.html);
  const buttons = message.buttons.map((row) => row.map(buttonInWords).join(' '));
  for (const line of [...attached, ...text, ...buttons]) printLine(terminal, line);
}

function printLine(terminal: Terminal, line: string): void {
  terminal.out(`  ${paint(terminal, 'gray', '│')} ${line}`.trimEnd());
}

function buttonInWords({ text, url }: ButtonView): string {
  return oneLine(url === undefined ? `[ ${text} ]` : `[ ${text} → ${url} ]`);
}

function printViolation(terminal: Terminal, violation: Violation): void {
  terminal.out(paint(terminal, 'red', `  ✗ ${oneLine(violation.message)}`));
  const where = placeInWords(violation);
  if (where !== '') terminal.out(`    ${where}`);
  const { place } = violation;
  if (place === null) return;
  const head = Array.from(place.excerpt).slice(0, place.excerptOffset).join('');
  terminal.out(`    ${shown(place.excerpt)}`);
  terminal.out(`    ${' '.repeat(widthOf(shown(head)))}${paint(terminal, 'red', '^')}`);
}

/** In one line, with every character in its place. */
function shown(excerpt: string): string {
  return excerpt.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
}
