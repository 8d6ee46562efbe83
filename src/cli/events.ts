import { listEvents, type RecordedEvent } from '../db/inspect.ts';
import { InvalidInputError } from '../errors.ts';
import {
  askingOptions,
  askingUsage,
  inWorkspace,
  limitOf,
  type Place,
  withHint,
} from './asking.ts';
import {
  type ChannelChoice,
  choiceOptions,
  choiceUsage,
  chosenChannels,
  isChoice,
} from './channels/choice.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { type Moment, momentOf, spanOf } from './given/moments.ts';
import { flag, readOptionsOnly, text, texts } from './given/options.ts';
import { deliveryMeant, idOf, messageMeant } from './given/short-ids.ts';
import { eventInWords } from './screen/event-words.ts';
import { type Form, formOf } from './screen/form.ts';
import { type List, printList } from './screen/table.ts';
import { firstColumns } from './screen/timeline.ts';
import { intervalOf, watching, watchOptions, watchUsage } from './screen/watching.ts';

const usage = `outrider events [options]

The record of a workspace, the latest first: what happened, to which delivery, in which channel, by whose order.

  --errors        only what went wrong
  --delivery D    only events of a delivery
  --message M     only events of a message
  --channel C     only events of a channel, as often as needed; * stands for any characters, ? for one: 'tg-*'
${choiceUsage}
  --action A      only events with an action such as dead_letter or manual_requeue; as often as needed
  --since T       only since then: 30m for half an hour ago, or a time such as 2026-03-02T18:00+03:00
  --until T       only before that
  --limit N       at most so many, up to 1000 (default 50)
${watchUsage}

An id may be cut to its beginning or to its end, as long as no other id has the same. For a channel, only the events of
the channel itself and of its latest deliveries are listed.

${askingUsage}`;

const options = {
  ...askingOptions,
  ...choiceOptions,
  ...watchOptions,
  errors: flag,
  delivery: text,
  message: text,
  channel: texts,
  action: texts,
  since: text,
  until: text,
  limit: text,
} as const;

interface Asked {
  readonly isError: boolean;
  readonly delivery: string | undefined;
  readonly message: string | undefined;
  readonly channels: ChannelChoice;
  readonly actions: readonly string[] | undefined;
  readonly since: Moment | undefined;
  readonly until: Moment | undefined;
  readonly limit: number;
}

export const events: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, options);
    const form = formOf(terminal, values);
    const everyMs = intervalOf(terminal, form, values);
    const { delivery, message, channel: names = [], credential, group, platform } = values;
    const asked: Asked = {
      isError: values.errors,
      delivery: delivery === undefined ? undefined : idOf('delivery', delivery),
      message: message === undefined ? undefined : idOf('message', message),
      channels: { names, credential, group, platform },
      actions: values.action,
      since: momentOf('since', values.since),
      until: momentOf('until', values.until),
      limit: limitOf(values.limit ?? '50'),
    };
    await inWorkspace(terminal, values.workspace, (place) =>
      watching(terminal, { everyMs }, async (screen) => {
        printEvents(screen, form, await eventsBy(place, asked), asked.limit);
      }),
    );
    return exitCodes.ok;
  },
};

const notAnEnumValue = '22P02';

async function eventsBy(place: Place, asked: Asked): Promise<RecordedEvent[]> {
  const { client, workspaceId } = place;
  const { delivery, message, channels, actions, isError, limit } = asked;
  const filter = {
    workspaceId,
    ...(await spanOf(place, asked.since, asked.until)),
    deliveryId: delivery === undefined ? undefined : await deliveryMeant(place, delivery),
    messageId: message === undefined ? undefined : await messageMeant(place, message),
    channelIds: isChoice(channels) ? await chosenChannels(place, channels) : undefined,
    actions,
    result: isError ? ('error' as const) : undefined,
    limit,
  };
  try {
    return await withHint(listEvents(client, filter), 'outrider events lists the latest');
  } catch (error) {
    const isOfAction = error instanceof InvalidInputError && error.sqlstate === notAnEnumValue;
    if (!isOfAction || actions === undefined) throw error;
    const [, unknown = actions.join(' ')] = /"(.*)"/.exec(error.message) ?? [];
    throw new UsageError(
      `--action ${unknown}: there is no such action; outrider events shows some`,
    );
  }
}

function printEvents(
  terminal: Terminal,
  form: Form,
  rows: readonly RecordedEvent[],
  limit: number,
): void {
  if (form === 'table' && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, eventList(new Date()), rows, { form });
  if (form === 'table' && rows.length === limit) {
    terminal.out(`\nthere may be more: --limit, --since and --until choose others`);
  }
}

function eventList(now: Date): List<RecordedEvent> {
  return {
    fields: [
      'ts',
      'action',
      'result',
      'channelId',
      'deliveryId',
      'messageId',
      'attempt',
      'error',
      'meta',
      'payloadRef',
      'id',
    ],
    columns: [
      ...firstColumns(now),
      { title: 'channel', cell: (row) => row.channelId ?? '' },
      { title: 'delivery', cell: (row) => row.deliveryId ?? '' },
      { title: 'attempt', align: 'right', cell: (row) => String(row.attempt) },
      { title: 'in words', shrinks: 8, cell: (row) => eventInWords(row, now) },
    ],
  };
}
