// Gives back deliveries that a sender holds without making progress, by an operator's order.

import { wakeDispatchers } from '../../db/dispatch.ts';
import { type Released, releaseStale } from '../../db/operate.ts';
import { askingOptions, inWorkspace, withHint } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { lengthOf } from '../given/moments.ts';
import { carriedOut, operatorOptions, orderOf } from '../given/operator.ts';
import { readOptionsOnly, text } from '../given/options.ts';
import { type Form, formOf } from '../screen/form.ts';
import { type List, printList } from '../screen/table.ts';
import { relative } from '../screen/times.ts';

const options = { ...askingOptions, ...operatorOptions, 'older-than': text } as const;

/** What release_stale takes. */
const ages = { leastMs: 1000, mostMs: 30 * 86_400_000 };

export async function released(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, options);
  const form = formOf(terminal, values);
  const olderThan = lengthOf('older-than', values['older-than'] ?? '10m', ages);
  const order = orderOf(values);
  const answers = await inWorkspace(terminal, values.workspace, async ({ client, workspaceId }) => {
    const done = await carriedOut(terminal, values, {
      size: undefined,
      call: (dryRun) =>
        withHint(
          releaseStale(client, { workspaceId, olderThan, ...order, dryRun }),
          'outrider deliveries --status sending lists what is being sent',
        ),
      isChange: () => true,
      foretell: (changes) => `${changes} deliveries would be given back`,
    });
    if (!order.dryRun && done.length > 0) await wakeDispatchers(client);
    return done;
  });
  printReleased(terminal, form, answers, order.dryRun);
  return exitCodes.ok;
}

function printReleased(
  terminal: Terminal,
  form: Form,
  rows: readonly Released[],
  dryRun: boolean,
): void {
  if (form !== 'table') return printList(terminal, releasedList(new Date()), rows, { form });
  if (rows.length > 0) printList(terminal, releasedList(new Date()), rows, { form });
  const count = `${rows.length} ${rows.length === 1 ? 'delivery' : 'deliveries'}`;
  terminal.out(`${count} ${dryRun ? 'would be ' : ''}given back`);
}

function releasedList(now: Date): List<Released> {
  return {
    fields: ['deliveryId', 'channelId', 'was', 'since', 'became'],
    columns: [
      { title: 'delivery', cell: (row) => row.deliveryId },
      { title: 'channel', cell: (row) => row.channelId },
      { title: 'was', cell: (row) => row.was },
      { title: 'since', cell: (row) => relative(row.since, now) },
      { title: 'becomes', cell: (row) => row.became },
    ],
  };
}
