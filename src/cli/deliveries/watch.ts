// Follows one post to all its chats, until every delivery has come to an end.

import { type Clock, systemClock } from '../../clock.ts';
import type { DeliveryStatus, ListedDelivery } from '../../db/delivery-rows.ts';
import { listDeliveries } from '../../db/inspect.ts';
import { NotFoundError } from '../../errors.ts';
import { askingOptions, inWorkspace, type Place } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { readOptions, text } from '../given/options.ts';
import { type Form, formOf } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import { alignedLines, type Column, inSchemaNames, paint, terminalWidth } from '../screen/table.ts';
import { parsedSpan, relative } from '../screen/times.ts';
import { watching } from '../screen/watching.ts';
import { timeOf, whyOf } from './list.ts';
import { postMeant } from './post-meant.ts';
import { statusColours } from './view.ts';

const options = { ...askingOptions, every: text, timeout: text } as const;

export async function followed(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const [given, ...more] = positionals;
  if (given === undefined || given.trim() === '') {
    throw new UsageError('which post? name the message by its id, or the post by its source_ref');
  }
  if (more.length > 0) throw new UsageError(`watch takes one post, not ${positionals.length}`);
  const terms = { form, everyMs: everyMsOf(values.every), timeoutMs: timeoutMsOf(values.timeout) };
  return inWorkspace(terminal, values.workspace, async (place) => {
    const messageId = await postMeant(place, given, terminal);
    return follow(terminal, { ...terms, messageId, read: () => deliveriesOf(place, messageId) });
  });
}

function everyMsOf(given = '1'): number {
  const seconds = Number(given);
  if (given.trim() !== '' && seconds >= 1 && seconds <= 3600) return seconds * 1000;
  throw new UsageError(`--every ${given}: it is a number of seconds from 1 to 3600`);
}

function timeoutMsOf(given: string | undefined): number {
  if (given === undefined) return Number.POSITIVE_INFINITY;
  const ms = parsedSpan(given);
  if (ms !== undefined) return ms;
  throw new UsageError(`--timeout ${given}: it is a span such as 90s, 10m or 2h`);
}

const pageOf = 1000;

/** All of them: a post may go to more channels than one answer lists. */
async function deliveriesOf(
  { client, workspaceId }: Place,
  messageId: string,
): Promise<ListedDelivery[]> {
  const found: ListedDelivery[] = [];
  for (;;) {
    const before = found.at(-1)?.deliveryId;
    const page = await listDeliveries(client, { workspaceId, messageId, limit: pageOf, before });
    found.push(...page);
    if (page.length < pageOf) return found;
  }
}

export interface Following {
  readonly form: Form;
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly messageId: string;
  readonly read: () => Promise<readonly ListedDelivery[]>;
  readonly clock?: Clock | undefined;
}

const ended: ReadonlySet<DeliveryStatus> = new Set(['sent', 'deduped', 'failed_permanent', 'dead']);

/** Answers with the exit code: whether every chat has the post. */
export async function follow(terminal: Terminal, following: Following): Promise<number> {
  const { form, everyMs, timeoutMs, messageId, read, clock = systemClock } = following;
  const startedAt = clock.now();
  const told = new Map<string, string>();
  let latest: readonly ListedDelivery[] = [];

  await watching(terminal, { everyMs, clock, inPlace: form === 'table' }, async (screen) => {
    latest = await read();
    if (latest.length === 0) throw goesNowhere(messageId);
    const now = new Date();
    if (form === 'table') printTable(screen, latest, now);
    else for (const each of latest) tellChange(screen, each, told, { form, now });
    const isOver = latest.every(({ status }) => ended.has(status));
    return isOver || clock.now() - startedAt >= timeoutMs ? 'over' : undefined;
  });
  printEnd(terminal, latest, form, messageId);
  return latest.every(({ status }) => status === 'sent' || status === 'deduped')
    ? exitCodes.ok
    : exitCodes.failed;
}

function goesNowhere(messageId: string): NotFoundError {
  return new NotFoundError(`message ${messageId} has no deliveries`, {
    hint: 'no channel takes it, or it is not there: outrider deliveries lists the latest; outrider events --message says what became of it',
  });
}

/** A line when something about a delivery has changed. */
function tellChange(
  screen: Terminal,
  row: ListedDelivery,
  told: Map<string, string>,
  { form, now }: { readonly form: Form; readonly now: Date },
): void {
  // Not the words, which count seconds.
  const state = JSON.stringify([row.status, row.attempt, row.nextBecause, row.nextAt]);
  if (told.get(row.deliveryId) === state) return;
  told.set(row.deliveryId, state);
  if (form === 'json') screen.out(JSON.stringify(inSchemaNames(row)));
  else screen.out(oneLine(`${now.toISOString()} ${row.channelId} ${inWords(row, now)}`));
}

function inWords(row: ListedDelivery, now: Date): string {
  const why = whyOf(row, now);
  const as = row.providerMessageId === null ? '' : ` as ${row.providerMessageId}`;
  const rest = why === '' ? '' : `: ${why}`;
  return `${row.status}${as}${rest}`;
}

/** What is under way first, then what failed, then what is there. */
const order: readonly DeliveryStatus[] = [
  'sending',
  'claimed',
  'retry',
  'queued',
  'dead',
  'failed_permanent',
  'deduped',
  'sent',
];

function printTable(screen: Terminal, rows: readonly ListedDelivery[], now: Date): void {
  const sorted = rows.toSorted(
    (a, b) =>
      order.indexOf(a.status) - order.indexOf(b.status) || (a.channelId < b.channelId ? -1 : 1),
  );
  screen.out(countsInWords(rows));
  screen.out('');
  for (const line of alignedLines(columns(now), sorted, terminalWidth())) screen.out(line);
}

function columns(now: Date): Column<ListedDelivery>[] {
  return [
    { title: 'channel', cell: (row) => row.channelId },
    { title: 'status', cell: ({ status }) => ({ text: status, colour: statusColours[status] }) },
    { title: 'attempt', align: 'right', cell: (row) => String(row.attempt) },
    { title: 'when', cell: (row) => relative(timeOf(row), now) },
    { title: 'as', cell: (row) => row.providerMessageId ?? '' },
    { title: 'why', shrinks: 20, cell: (row) => whyOf(row, now) },
  ];
}

/** Such as "3 of 5 sent · 1 retry · 1 queued". */
function countsInWords(rows: readonly ListedDelivery[]): string {
  const counts = Map.groupBy(rows, (each) => each.status);
  const others = order.filter((each) => each !== 'sent' && counts.has(each));
  const sent = counts.get('sent')?.length ?? 0;
  return [
    `${sent} of ${rows.length} sent`,
    ...others.map((each) => `${counts.get(each)?.length} ${each}`),
  ].join(' · ');
}

function printEnd(
  terminal: Terminal,
  rows: readonly ListedDelivery[],
  form: Form,
  messageId: string,
): void {
  if (form === 'json') {
    const byStatus = Map.groupBy(rows, (each) => each.status).entries();
    const counts = Object.fromEntries([...byStatus].map(([status, some]) => [status, some.length]));
    terminal.out(JSON.stringify({ message_id: messageId, deliveries: rows.length, counts }));
    return;
  }
  const isWell = rows.every(({ status }) => status === 'sent' || status === 'deduped');
  const words = isWell
    ? `Every chat has it: ${countsInWords(rows)}.`
    : `Not every chat has it: ${countsInWords(rows)}.`;
  terminal.out(paint(terminal, isWell ? 'green' : 'red', words));
}
