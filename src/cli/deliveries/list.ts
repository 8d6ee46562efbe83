// Deliveries at a glance: where each stands and what it waits for.

import type { ListedDelivery } from '../../db/delivery-rows.ts';
import { listDeliveries } from '../../db/inspect.ts';
import { askingOptions, inWorkspace, limitOf, type Place, withHint } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { readOptionsOnly, text } from '../given/options.ts';
import { deliveryMeant, idOf, messageMeant } from '../given/short-ids.ts';
import { type Form, formOf } from '../screen/form.ts';
import { stepInBrief } from '../screen/next-step.ts';
import { type List, paint, printList } from '../screen/table.ts';
import { relative } from '../screen/times.ts';
import { intervalOf, watching, watchOptions } from '../screen/watching.ts';
import {
  type DeliveryChoice,
  deliveryChoice,
  deliveryChoiceOptions,
  deliveryFilter,
} from './choice.ts';
import { statusColours } from './view.ts';

const options = {
  ...askingOptions,
  ...deliveryChoiceOptions,
  ...watchOptions,
  message: text,
  before: text,
} as const;

interface Asked {
  readonly choice: DeliveryChoice;
  readonly message: string | undefined;
  readonly before: string | undefined;
  readonly limit: number;
}

export async function listed(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, options);
  const form = formOf(terminal, values);
  const everyMs = intervalOf(terminal, form, values);
  const asked: Asked = {
    choice: deliveryChoice(values),
    message: values.message === undefined ? undefined : idOf('message', values.message),
    before: values.before === undefined ? undefined : idOf('delivery', values.before),
    limit: limitOf(values.limit ?? '20'),
  };
  await inWorkspace(terminal, values.workspace, (place) =>
    watching(terminal, { everyMs }, async (screen) => {
      printDeliveries(screen, form, await deliveriesBy(place, asked), asked.limit);
    }),
  );
  return exitCodes.ok;
}

async function deliveriesBy(place: Place, asked: Asked): Promise<ListedDelivery[]> {
  const { client, workspaceId } = place;
  const { choice, message, before, limit } = asked;
  const request = {
    workspaceId,
    ...(await deliveryFilter(place, choice)),
    messageId: message === undefined ? undefined : await messageMeant(place, message),
    before: before === undefined ? undefined : await deliveryMeant(place, before),
    limit,
  };
  return withHint(listDeliveries(client, request), 'outrider deliveries lists the latest');
}

function printDeliveries(
  terminal: Terminal,
  form: Form,
  rows: readonly ListedDelivery[],
  limit: number,
): void {
  if (form === 'table' && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, deliveryList(new Date()), rows, { form });
  const last = rows.at(-1);
  if (form === 'table' && last !== undefined && rows.length === limit) {
    terminal.out(paint(terminal, 'gray', `\nmore: the same with --before ${last.deliveryId}`));
  }
}

function deliveryList(now: Date): List<ListedDelivery> {
  return {
    fields: [
      'deliveryId',
      'messageId',
      'channelId',
      'status',
      'attempt',
      'notBefore',
      'nextRetryAt',
      'sentAt',
      'failedAt',
      'providerMessageId',
      'errorCode',
      'errorMessage',
      'nextBecause',
      'nextAt',
      'nextReason',
      'createdAt',
      'traceId',
      'text',
    ],
    columns: [
      { title: 'delivery', cell: (row) => row.deliveryId },
      { title: 'channel', cell: (row) => row.channelId },
      { title: 'status', cell: ({ status }) => ({ text: status, colour: statusColours[status] }) },
      { title: 'attempt', align: 'right', cell: (row) => String(row.attempt) },
      { title: 'when', cell: (row) => relative(timeOf(row), now) },
      { title: 'why', shrinks: 36, cell: (row) => whyOf(row, now) },
      { title: 'text', shrinks: 8, cell: (row) => row.text },
    ],
  };
}

/** The time that matters: when it was sent or failed, else when it will be tried. */
export function timeOf(row: ListedDelivery): Date {
  return row.sentAt ?? row.failedAt ?? row.nextRetryAt ?? row.notBefore;
}

/** What keeps it waiting, other than its own time; else its last error, which nobody needs once it was sent. */
export function whyOf(row: ListedDelivery, now: Date): string {
  const { status, nextBecause: because, nextAt: at, nextReason, errorCode, errorMessage } = row;
  const kept =
    because === null ? '' : stepInBrief({ because, at, reason: nextReason ?? undefined }, now);
  if (kept !== '') return kept;
  if (status === 'sent' || errorCode === null) return '';
  return errorMessage === null ? errorCode : `${errorCode}: ${errorMessage}`;
}
