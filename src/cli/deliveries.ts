import { parseArgs } from 'node:util';
import { listDeliveries, showDelivery } from '../db/inspect.ts';
import { type DeliveryStatus, deliveryStatuses, type ListedDelivery } from '../db/inspect-rows.ts';
import { askingOptions, askingUsage, idOf, inWorkspace, retold, subcommandOf } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { printDelivery, statusColours } from './delivery-view.ts';
import { type List, paint, printJson, printList } from './table.ts';
import { relative } from './times.ts';

const usage = `outrider deliveries list [options]
outrider deliveries show <delivery> [options]

list   deliveries, newest first; failed ones by their failure, the latest first
show   one delivery: where it stands, what it carries, what happened to it and what comes next

  --status S      only those that are ${deliveryStatuses.slice(0, 4).join(', ')},
                  ${deliveryStatuses.slice(4).join(', ')}
  --channel C     only those of a channel
  --message M     only those of a message
  --limit N       at most so many, up to 1000 (default 20)
  --before ID     what comes after this delivery, the last one of a list

${askingUsage}`;

export const deliveries: Command = {
  usage,
  async run(args, terminal) {
    const subcommand = subcommandOf(args, ['list', 'show']);
    if (subcommand === 'list') await list(args.slice(1), terminal);
    else await show(args.slice(1), terminal);
    return exitCodes.ok;
  },
};

async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { status: text, channel: text, message: text, limit: text, before: text };
  const { values } = parseArgs({ args: [...args], options: { ...askingOptions, ...options } });
  const { workspace, json, status, channel, message, limit = '20', before } = values;
  const filter = {
    statuses: status === undefined ? undefined : [statusOf(status)],
    channelIds: channel === undefined ? undefined : [channel],
    messageId: message === undefined ? undefined : idOf('message', message),
    limit: limitOf(limit),
    before: before === undefined ? undefined : idOf('delivery', before),
  };
  const rows = await inWorkspace(terminal, workspace, ({ client, workspaceId }) =>
    retold(
      listDeliveries(client, { workspaceId, ...filter }),
      'outrider channels list shows the channels, outrider deliveries list the latest deliveries',
    ),
  );
  if (terminal.isTty && !json && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, deliveryList(new Date()), rows, { json });
  const last = rows.at(-1);
  if (terminal.isTty && !json && last !== undefined && rows.length === filter.limit) {
    terminal.out(paint(terminal, 'gray', `\nmore: the same with --before ${last.deliveryId}`));
  }
}

function statusOf(text: string): DeliveryStatus {
  const status = deliveryStatuses.find((each) => each === text);
  if (status !== undefined) return status;
  throw new UsageError(`--status ${text}: a delivery is ${deliveryStatuses.join(', ')}`);
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= 1000) return limit;
  throw new UsageError(`--limit ${text}: it is a number from 1 to 1000`);
}

async function show(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: askingOptions,
    allowPositionals: true,
  });
  const [given, ...more] = positionals;
  if (given === undefined) throw new UsageError('which delivery? outrider deliveries list has ids');
  if (more.length > 0) throw new UsageError(`show takes one delivery, not ${positionals.length}`);
  const deliveryId = idOf('delivery', given);
  const shown = await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
    retold(
      showDelivery(client, workspaceId, deliveryId),
      'outrider deliveries list shows the latest',
    ),
  );
  if (values.json) printJson(terminal, shown);
  else printDelivery(terminal, shown, new Date());
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
      { title: 'error', shrinks: true, cell: ({ status, ...row }) => errorOf(status, row) },
      { title: 'text', shrinks: true, cell: (row) => row.text },
    ],
  };
}

/** The time that matters: when it was sent or failed, else when it will be tried. */
function timeOf(row: ListedDelivery): Date {
  return row.sentAt ?? row.failedAt ?? row.nextRetryAt ?? row.notBefore;
}

/** What an earlier attempt met is no longer of interest once it was sent. */
function errorOf(
  status: DeliveryStatus,
  { errorCode, errorMessage }: Pick<ListedDelivery, 'errorCode' | 'errorMessage'>,
): string {
  if (status === 'sent' || errorCode === null) return '';
  return errorMessage === null ? errorCode : `${errorCode}: ${errorMessage}`;
}
