import os from 'node:os';
import { parseArgs } from 'node:util';
import {
  type ListedEvent,
  listOutboxEvents,
  type OutboxStatus,
  outboxStatus,
  replayOutboxEvents,
  skipOutboxEvents,
} from '../db/outbox.ts';
import { idOf, retold, subcommandOf } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { onGround } from './ground.ts';
import { asField, inSchemaNames, type List, paint, printJson, printList } from './table.ts';
import { relative, span } from './times.ts';

const usage = `outrider outbox status [options]
outrider outbox list [options]
outrider outbox replay (--failed | <event>…) --reason R [options]
outrider outbox skip <event>… --reason R [options]

status   how many events wait, since when, and how many were given up
list     events that are not published, newest first; with --failed those that failed, the latest failure first
replay   has events tried again that failed: all that were given up, or those named; prints how many
skip     passes over events that were given up: they are never published, and what waits behind them goes on

  --failed        list: only those that failed; replay: those that were given up, the first 10,000
  --type T        only events of a type
  --limit N       list: at most so many, up to 1000 (default 20)
  --before ID     list: what comes after this event, the last one of a list
  --dry-run       replay, skip: only says what it would do
  --reason R      replay, skip: why, for the record
  --operator O    replay, skip: who, for the record (default: the user of this machine)
  --json          one JSON document`;

export const outbox: Command = {
  usage,
  async run(args, terminal) {
    const subcommands = { status, list, replay, skip };
    const name = subcommandOf(args, ['status', 'list', 'replay', 'skip']);
    return subcommands[name](args.slice(1), terminal);
  },
};

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const unknownType = 'docs/outbox.md lists the types of events';

async function status(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: flag } });
  const shown = await onGround(terminal, ({ client, config }) =>
    outboxStatus(client, config.outbox.maxAttempts),
  );
  if (values.json) printJson(terminal, shown);
  else if (terminal.isTty) printStatus(terminal, shown);
  else {
    terminal.out('fact\tvalue');
    for (const [name, value] of Object.entries(shown)) terminal.out(`${name}\t${asField(value)}`);
  }
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
  const options = { failed: flag, type: text, limit: text, before: text, json: flag };
  const { values } = parseArgs({ args: [...args], options });
  const filter = {
    failed: values.failed,
    eventType: values.type,
    limit: limitOf(values.limit ?? '20'),
    before: values.before === undefined ? undefined : idOf('event', values.before),
  };
  const rows = await onGround(terminal, ({ client }) =>
    retold(listOutboxEvents(client, filter), unknownType),
  );
  const { json } = values;
  const isForPeople = terminal.isTty && !json;
  if (isForPeople && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, eventList(new Date()), rows, { json });
  const last = rows.at(-1);
  if (isForPeople && last !== undefined && rows.length === filter.limit) {
    terminal.out(paint(terminal, 'gray', `\nmore: the same with --before ${last.eventId}`));
  }
  return exitCodes.ok;
}

function limitOf(given: string): number {
  const limit = Number(given);
  if (/^\d{1,4}$/.test(given) && limit >= 1 && limit <= 1000) return limit;
  throw new UsageError(`--limit ${given}: it is a number from 1 to 1000`);
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
      { title: 'last error', shrinks: true, cell: (row) => row.lastError ?? '' },
    ],
  };
}

async function replay(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = { failed: flag, type: text, reason: text, operator: text };
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...options, 'dry-run': flag, json: flag },
    allowPositionals: true,
  });
  const { failed, type, reason, json, 'dry-run': dryRun } = values;
  if (failed === positionals.length > 0) {
    throw new UsageError('which events? name them, or say --failed for all that were given up');
  }
  if (reason === undefined) throw new UsageError('why? --reason says so, for the record');
  const operator = values.operator ?? os.userInfo().username;
  const eventIds = failed ? null : positionals.map((each) => idOf('event', each));
  const answers = await onGround(terminal, ({ client, config: { outbox: settings } }) =>
    retold(
      replayOutboxEvents(client, {
        eventIds,
        eventType: type,
        dryRun,
        operator,
        reason,
        maxAttempts: settings.maxAttempts,
      }),
      unknownType,
    ),
  );
  if (json) printJson(terminal, answers.map(inSchemaNames));
  else printDone(terminal, answers, dryRun ? 'would be replayed' : 'replayed');
  return answers.every((each) => each.replayed) ? exitCodes.ok : exitCodes.failed;
}

async function skip(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { reason: text, operator: text, 'dry-run': flag, json: flag },
    allowPositionals: true,
  });
  const { reason, json, 'dry-run': dryRun } = values;
  if (positionals.length === 0) throw new UsageError('which events? name them');
  if (reason === undefined) throw new UsageError('why? --reason says so, for the record');
  const operator = values.operator ?? os.userInfo().username;
  const eventIds = positionals.map((each) => idOf('event', each));
  const answers = await onGround(terminal, ({ client, config: { outbox: settings } }) => {
    const { maxAttempts } = settings;
    return skipOutboxEvents(client, { eventIds, dryRun, operator, reason, maxAttempts });
  });
  if (json) printJson(terminal, answers.map(inSchemaNames));
  else printDone(terminal, answers, dryRun ? 'would be passed over' : 'passed over');
  return answers.every((each) => each.skipped) ? exitCodes.ok : exitCodes.failed;
}

function printDone(
  terminal: Terminal,
  answers: readonly { readonly eventId: string; readonly note: string | null }[],
  words: string,
): void {
  const count = answers.filter((each) => each.note === null).length;
  for (const { eventId, note } of answers) {
    if (note !== null) terminal.err(`${eventId}: ${note}`);
  }
  terminal.out(`${count} ${count === 1 ? 'event' : 'events'} ${words}`);
}
