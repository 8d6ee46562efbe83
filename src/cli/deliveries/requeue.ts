// Sends failed deliveries again, by an operator's order.

import { failedStatuses } from '../../db/delivery-rows.ts';
import { wakeDispatchers } from '../../db/dispatch.ts';
import { listDeliveries } from '../../db/inspect.ts';
import { type Requeued, requeueDeliveries } from '../../db/operate.ts';
import { askingOptions, inWorkspace, limitOf, type Place, withHint } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { lengthOf } from '../given/moments.ts';
import { carriedOut, notesOf, operatorOptions, orderOf } from '../given/operator.ts';
import { flag, readOptions, text } from '../given/options.ts';
import { deliveryMeant, idOf } from '../given/short-ids.ts';
import { formOf } from '../screen/form.ts';
import { type Tell, withProgress } from '../screen/progress.ts';
import { inSchemaNames, printJson } from '../screen/table.ts';
import {
  type DeliveryChoice,
  deliveryChoice,
  deliveryChoiceOptions,
  deliveryFilter,
  isDeliveryChoice,
} from './choice.ts';

const options = {
  ...askingOptions,
  ...deliveryChoiceOptions,
  ...operatorOptions,
  over: text,
  all: flag,
} as const;

/** What requeue_deliveries takes. */
const spreads = { leastMs: 0, mostMs: 7 * 86_400_000 };

export async function requeued(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const ids = positionals.map((each) => idOf('delivery', each));
  const choice = deliveryChoice(values);
  if (isDeliveryChoice(choice) && ids.length > 0) {
    throw new UsageError('deliveries are named, or chosen by options such as --status, not both');
  }
  if (!isDeliveryChoice(choice) && ids.length === 0) {
    throw new UsageError(
      'which deliveries? name them, or choose them by --status, --channel, --credential, --since …',
    );
  }
  if (choice.statuses?.every((each) => failedStatuses.includes(each)) === false) {
    throw new UsageError(`--status ${values.status}: only what failed can be requeued`);
  }
  requireAllAlone(values, ids.length > 0);
  const limit = values.all ? Number.POSITIVE_INFINITY : limitOf(values.limit ?? '1000');
  const over = values.over === undefined ? undefined : lengthOf('over', values.over, spreads);
  const order = orderOf(values);
  const answers = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const found =
      ids.length > 0
        ? await named(place, ids)
        : await withProgress(terminal, (tell) => chosen(place, choice, limit, tell));
    if (found.length === 0) return [];
    const done = await carriedOut(terminal, values, {
      size: found.length,
      call: (dryRun) =>
        withProgress(terminal, (tell) =>
          inBatches(found, (deliveryIds, before) => {
            tell(dryRun ? 'looked at' : 'requeued', before, found.length);
            return withHint(
              requeueDeliveries(client, { workspaceId, deliveryIds, ...order, dryRun, over }),
              'outrider deliveries --status failed lists those that can be',
            );
          }),
        ),
      isChange: (each) => each.requeued,
      foretell: (changes) => `${changes} deliveries would be requeued`,
    });
    if (!order.dryRun && done.some((each) => each.requeued)) await wakeDispatchers(client);
    return done;
  });
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else printRequeued(terminal, answers, order.dryRun);
  if (form !== 'json' && ids.length === 0 && answers.length === limit) {
    terminal.err(`there may be more: only ${limit} were looked at; --all looks at all`);
  }
  const isWell =
    ids.length > 0
      ? answers.every((each) => each.requeued)
      : answers.length === 0 || answers.some((each) => each.requeued);
  return isWell ? exitCodes.ok : exitCodes.failed;
}

async function named(place: Place, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const each of ids) found.push(await deliveryMeant(place, each));
  return found;
}

/** What one call takes. */
const batchOf = 1000;

/** Each batch is recorded as a whole: what is done stays done if a later one fails. */
async function inBatches<Result>(
  ids: readonly string[],
  call: (batch: readonly string[], before: number) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < ids.length; from += batchOf) {
    results.push(...(await call(ids.slice(from, from + batchOf), from)));
  }
  return results;
}

function requireAllAlone(
  { all, limit, over }: { readonly all: boolean; readonly limit?: string; readonly over?: string },
  areNamed: boolean,
): void {
  if (!all) return;
  if (areNamed) throw new UsageError('--all is for deliveries that are chosen by options');
  if (limit !== undefined) throw new UsageError('--all and --limit contradict each other');
  if (over !== undefined) {
    throw new UsageError('--over spreads 1000 deliveries at most: leave --all out');
  }
}

/** The latest first, page by page. */
async function chosen(
  place: Place,
  choice: DeliveryChoice,
  limit: number,
  tell: Tell,
): Promise<string[]> {
  const { client, workspaceId } = place;
  const filter = await deliveryFilter(place, {
    ...choice,
    statuses: choice.statuses ?? failedStatuses,
  });
  const found = new Set<string>();
  let before: string | undefined;
  for (;;) {
    const page = Math.min(batchOf, limit - found.size);
    const rows = await withHint(
      listDeliveries(client, { workspaceId, ...filter, limit: page, before }),
      'outrider deliveries --status failed lists what failed',
    );
    for (const each of rows) found.add(each.deliveryId);
    tell('found', found.size);
    before = rows.at(-1)?.deliveryId;
    if (rows.length < page || found.size >= limit) return [...found];
  }
}

function printRequeued(terminal: Terminal, answers: readonly Requeued[], dryRun: boolean): void {
  const notes = answers.map(({ deliveryId, requeued: isDone, note }) => {
    return { id: deliveryId, isDone, note };
  });
  for (const line of notesOf(notes)) terminal.err(line);
  const count = answers.filter((each) => each.requeued).length;
  const what = `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;
  terminal.out(`${what} ${dryRun ? 'would be ' : ''}requeued`);
}
