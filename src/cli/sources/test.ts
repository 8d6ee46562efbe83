// Shows what the next pull of a source would bring. Takes nothing in; calls to a platform take their slots as usual.

import { takenItems } from '../../db/pull.ts';
import { OutriderError } from '../../errors.ts';
import { openClaimed } from '../../pull/opened-source.ts';
import { preparedPost, type RawPost } from '../../pull/prepared-post.ts';
import type { PullContext } from '../../pull/pull-source.ts';
import { beforeCallOf } from '../../pull/slots.ts';
import { askingOptions, inWorkspace, limitOf, type Place } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { readOptions, text } from '../given/options.ts';
import { untilStopped } from '../ground.ts';
import { type Form, formOf } from '../screen/form.ts';
import { cutTo, oneLine } from '../screen/shown-text.ts';
import { inSchemaNames, paint, printJson, tabbedLines } from '../screen/table.ts';
import { whileWaiting } from '../screen/waiting.ts';
import { type Looked, looksOfPull } from './looks.ts';
import { oneSource, readingSources, sourceNamed } from './place.ts';

export async function tested(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, { ...askingOptions, limit: text });
  return shownItems(terminal, {
    named: oneSource(positionals),
    form: formOf(terminal, values),
    workspace: values.workspace,
    limit: limitOf(values.limit ?? '20'),
  });
}

export interface TestOrder {
  readonly named: string;
  readonly form: Form;
  readonly workspace: string | undefined;
  readonly limit: number;
}

interface ShownItem {
  readonly itemRef: string;
  readonly isTaken: boolean;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly media: readonly string[];
  readonly post: RawPost;
}

export async function shownItems(terminal: Terminal, order: TestOrder): Promise<number> {
  const { items, hasMore, fault } = await inWorkspace(terminal, order.workspace, (place) =>
    readingSources(place, terminal, (context) => lookAt(place, context, terminal, order)),
  );
  if (items.length === 0 && fault !== undefined) throw fault;
  // Of a source that could be read in part, what came is shown all the same.
  print(terminal, order.form, { items, hasMore, fault });
  return fault === undefined ? exitCodes.ok : exitCodes.failed;
}

interface Shown {
  readonly items: readonly ShownItem[];
  readonly hasMore: boolean;
  /** What the pull would fail with after these items. */
  readonly fault: OutriderError | undefined;
}

async function lookAt(
  place: Place,
  context: PullContext,
  terminal: Terminal,
  { named, limit }: TestOrder,
): Promise<Shown> {
  const { client, workspaceId } = place;
  const source = await sourceNamed(place, named);
  const opened = openClaimed(context, source);
  try {
    const looks = untilStopped(terminal, (signal) => {
      const beforeCall = beforeCallOf(context, { ...source, workspaceId }, signal);
      return looksOfPull(opened.source, { cursor: source.cursor, limit, signal, beforeCall });
    });
    const looked = await whileWaiting(terminal, `reading ${source.sourceId}`, looks);
    const itemRefs = looked.items.map((each) => each.itemRef);
    const asked = { workspaceId, sourceId: source.sourceId, itemRefs };
    const taken = new Set(itemRefs.length === 0 ? [] : await takenItems(client, asked));
    const items = looked.items.map((item) =>
      shown(preparedPost(item, opened.preparation), item.itemRef, taken.has(item.itemRef)),
    );
    return { items, hasMore: looked.hasMore, fault: faultOf(named, looked) };
  } finally {
    await opened.source.close();
  }
}

function faultOf(named: string, { fault }: Looked): OutriderError | undefined {
  if (fault === undefined) return undefined;
  const hint = fault.hint ?? 'docs/sources.md says what each kind needs';
  return new OutriderError('source_away', `${named} cannot be read: ${fault.message}`, { hint });
}

function shown(post: RawPost, itemRef: string, isTaken: boolean): ShownItem {
  const { title, text: words, tags, media } = post;
  return {
    itemRef,
    isTaken,
    title: typeof title === 'string' ? title : '',
    text: typeof words === 'string' ? words : '',
    tags: Array.isArray(tags) ? tags.map(String) : [],
    media: Array.isArray(media) ? media.map(mediumInWords) : [],
    post,
  };
}

function mediumInWords(medium: unknown): string {
  if (typeof medium !== 'object' || medium === null) return '?';
  const { type, url, blob_ref: blob }: Readonly<Record<string, unknown>> = { ...medium };
  return `${String(type)} ${String(url ?? blob)}`;
}

function print(terminal: Terminal, form: Form, { items, hasMore, fault }: Shown): void {
  if (form === 'json') {
    const rows = items.map(({ itemRef, isTaken, post }) => ({ itemRef, isTaken, post }));
    const told = fault === undefined ? {} : { fault: { message: fault.message, hint: fault.hint } };
    return printJson(terminal, { items: rows.map(inSchemaNames), has_more: hasMore, ...told });
  }
  if (form === 'tsv') {
    const fields = ['itemRef', 'isTaken', 'title', 'text', 'tags', 'media'] as const;
    for (const line of tabbedLines(fields, items)) terminal.out(line);
  } else {
    printInWords(terminal, items, hasMore);
  }
  if (fault !== undefined)
    terminal.err(paint(terminal, 'red', `${fault.message}\n  ${fault.hint}`));
}

function printInWords(terminal: Terminal, items: readonly ShownItem[], hasMore: boolean): void {
  if (items.length === 0) terminal.out('The next pull would bring nothing.');
  for (const { itemRef, isTaken, title, text: words, tags, media } of items) {
    const state = isTaken
      ? paint(terminal, 'gray', 'taken before')
      : paint(terminal, 'green', 'new');
    terminal.out(`${oneLine(itemRef)}  ${state}`);
    const excerpt = cutTo(oneLine([title, words].filter((each) => each !== '').join(' – ')), 100);
    if (excerpt !== '') terminal.out(`    ${excerpt}`);
    if (tags.length > 0) terminal.out(`    tags: ${oneLine(tags.join(', '))}`);
    for (const each of media) terminal.out(`    ${oneLine(each)}`);
  }
  if (hasMore) terminal.out('There is more: --limit shows more of it.');
  terminal.err('Nothing was taken in.');
}
