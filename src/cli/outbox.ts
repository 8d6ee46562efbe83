import {
  type ListedEvent,
  listOutboxEvents,
  type OutboxStatus,
  outboxStatus,
  replayOutboxEvents,
  skipOutboxEvents,
} from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import { InvalidInputError } from '../errors.ts';
import { limitOf, subcommandOf, withHint } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { carriedOut, notesOf, operatorOptions, operatorUsage, orderOf } from './given/operator.ts';
import { flag, readOptions, readOptionsOnly, text } from './given/options.ts';
import { eventMeant, idOf } from './given/short-ids.ts';
import { onGround } from './ground.ts';
import { formOf, formOptions, formUsage } from './screen/form.ts';
import {
  inSchemaNames,
  type List,
  paint,
  printFacts,
  printJson,
  printList,
} from './screen/table.ts';
import { relative, span } from './screen/times.ts';

const usage = `outrider outbox [list] [options]
outrider outbox status [options]
outrider outbox replay (--failed | <event>…) --reason R [options]
outrider outbox skip <event>… --reason R [options]

list     events that are not published, newest first; with --failed those that failed, the latest failure first
status   how many events wait, since when, and how many were given up
replay   tries failed events again: all that were given up, or those named; prints how many
skip     passes over events that were given up: they are never published, and the events that wait for them go on

An id may be cut to its beginning, as long as no other id begins the same.

  --failed        list: only those that failed; replay: those that were given up, the first 10,000
  --type T        only events of a type
  --limit N       list: at most this many, up to 1000 (default 20)
  --before ID     list: the next page; ID is the last event of the page before
${operatorUsage}

${formUsage}`;

export const outbox: Command = {
  usage,
  async run(args, terminal) {
    const { name, rest } = subcommandOf(args, ['list', 'status', 'replay', 'skip']);
    return { list, status, replay, skip }[name](rest, terminal);
  },
};

const notAnEnumValue = '22P02';

/** The answer of the database; the error for a type that it does not know names the type. */
async function ofType<Result>(type: string | undefined, asked: Promise<Result>): Promise<Result> {
  const hint = 'docs/outbox.md lists the types of events';
  try {
    return await withHint(asked, hint);
  } catch (error) {
    const isOfType = error instanceof InvalidInputError && error.sqlstate === notAnEnumValue;
    if (!isOfType || type === undefined) throw error;
    throw new InvalidInputError(`there is no event type "${type}"`, { hint });
  }
}

async function status(args: readonly string[], terminal: Terminal): Promise<number> {
  const form = formOf(terminal, readOptionsOnly(args, formOptions));
  const shown = await onGround(terminal, ({ client, config }) =>
    outboxStatus(client, config.outbox.maxAttempts),
  );
  if (form === 'json') printJson(terminal, shown);
  else if (form === 'table') printStatus(terminal, shown);
  else printFacts(terminal, shown);
  return exitCodes.ok;
}

function printStatus(terminal: Terminal, shown: OutboxStatus): void {
  const count = (name: OutboxStatus['cut'][number]): string =>
    `${shown[name]}${shown.cut.includes(name) ? '+' : ''}`;
  const oldest = shown.oldest_unpublished_seconds;
  const facts: readonly (readonly [string, string])[] = [
    ['waiting', count('unpublished')],
    ['oldest', oldest === null ? '–' : `${span(oldest * 1000)} ago`],
    ['given up', count('failed')],
    ['last hour', `${count('published_last_hour')} published`],
  ];
  for (const [name, words] of facts) {
    terminal.out(`${paint(terminal, 'gray', name.padEnd(10))} ${words}`);
  }
}

async function list(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = { failed: flag, type: text, limit: text, before: text, ...formOptions };
  const values = readOptionsOnly(args, options);
  const form = formOf(terminal, values);
  const before = values.before === undefined ? undefined : idOf('event', values.before);
  const limit = limitOf(values.limit ?? '20');
  const rows = await onGround(terminal, async ({ client }) => {
    const filter = {
      failed: values.failed,
      eventType: values.type,
      limit,
      before: before === undefined ? undefined : await eventMeant(client, before),
    };
    return ofType(values.type, listOutboxEvents(client, filter));
  });
  if (form === 'table' && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, eventList(new Date()), rows, { form });
  const last = rows.at(-1);
  if (form === 'table' && last !== undefined && rows.length === limit) {
    terminal.out(paint(terminal, 'gray', `\nmore: the same with --before ${last.eventId}`));
  }
  return exitCodes.ok;
}

function eventList(now: Date): List<ListedEvent> {
  return {
    fields: [
      'eventId',
      'eventType',
      'aggregateType',
      'aggregateId',
      'createdAt',
      'attemptCount',
      'failedAt',
      'notBefore',
      'givenUp',
      'lastError',
    ],
    columns: [
      { title: 'event', cell: (row) => row.eventId },
      { title: 'type', cell: (row) => row.eventType },
      { title: 'of', cell: (row) => row.aggregateType },
      { title: 'aggregate', cell: (row) => row.aggregateId },
      { title: 'created', cell: (row) => relative(row.createdAt, now) },
      { title: 'failed', align: 'right', cell: (row) => String(row.attemptCount) },
      { title: 'given up', cell: (row) => row.givenUp ?? '' },
      { title: 'last error', shrinks: 8, cell: (row) => row.lastError ?? '' },
    ],
  };
}

async function replay(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = { failed: flag, type: text, ...operatorOptions, ...formOptions };
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const { failed, type } = values;
  if (failed === positionals.length > 0) {
    throw new UsageError('which events? name them, or say --failed for all that were given up');
  }
  const order = orderOf(values);
  const ids = positionals.map((each) => idOf('event', each));
  const answers = await onGround(terminal, async ({ client, config: { outbox: settings } }) => {
    const eventIds = failed ? null : await eventsMeant(client, ids);
    const { maxAttempts } = settings;
    const request = { eventIds, eventType: type, ...order, maxAttempts };
    return carriedOut(terminal, values, {
      size: eventIds?.length,
      call: (dryRun) => ofType(type, replayOutboxEvents(client, { ...request, dryRun })),
      isChange: (each) => each.replayed,
      foretell: (changes) => `${changes} events would be replayed`,
    });
  });
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else printDone(terminal, answers, order.dryRun ? 'would be replayed' : 'replayed');
  return answers.every((each) => each.replayed) ? exitCodes.ok : exitCodes.failed;
}

async function skip(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, { ...operatorOptions, ...formOptions });
  const form = formOf(terminal, values);
  if (positionals.length === 0) throw new UsageError('which events? name them');
  const order = orderOf(values);
  const ids = positionals.map((each) => idOf('event', each));
  const answers = await onGround(terminal, async ({ client, config: { outbox: settings } }) => {
    const { maxAttempts } = settings;
    const eventIds = await eventsMeant(client, ids);
    return carriedOut(terminal, values, {
      size: eventIds.length,
      call: (dryRun) => skipOutboxEvents(client, { eventIds, ...order, maxAttempts, dryRun }),
      isChange: (each) => each.skipped,
      foretell: (changes) => `${changes} events would be passed over`,
    });
  });
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else printDone(terminal, answers, order.dryRun ? 'would be passed over' : 'passed over');
  return answers.every((each) => each.skipped) ? exitCodes.ok : exitCodes.failed;
}

async function eventsMeant(client: Queryable, ids: readonly string[]): Promise<string[]> {
  const named: string[] = [];
  for (const each of ids) named.push(await eventMeant(client, each));
  return named;
}

function printDone(
  terminal: Terminal,
  answers: readonly { readonly eventId: string; readonly note: string | null }[],
  words: string,
): void {
  const notes = answers.map(({ eventId, note }) => ({ id: eventId, isDone: note === null, note }));
  for (const line of notesOf(notes)) terminal.err(line);
  const count = answers.filter((each) => each.note === null).length;
  terminal.out(`${count} ${count === 1 ? 'event' : 'events'} ${words}`);
}
