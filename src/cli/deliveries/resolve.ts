// Records what became of a held delivery: somebody has looked into the chat, and says whether it arrived.

import { wakeDispatchers } from '../../db/dispatch.ts';
import {
  type Requeued,
  type Resolved,
  requeueDeliveries,
  resolveDeliveries,
} from '../../db/operate.ts';
import { askingOptions, inWorkspace, withHint } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { notesOf, operatorOptions, orderOf } from '../given/operator.ts';
import { readOptions, text } from '../given/options.ts';
import { deliveryMeant, idOf } from '../given/short-ids.ts';
import { formOf } from '../screen/form.ts';
import { inSchemaNames, printJson } from '../screen/table.ts';

const options = { ...askingOptions, ...operatorOptions, as: text } as const;

export async function resolved(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const [given, providerId, ...more] = positionals;
  if (given === undefined) throw new UsageError('which delivery? name it by its id');
  const asked = idOf('delivery', given);
  const as = outcomeOf(values.as);
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many`);
  if (as === 'sent' && providerId === undefined) {
    throw new UsageError(
      "--as sent needs the platform's id of the message: resolve <delivery> --as sent <id>",
    );
  }
  if (as === 'lost' && providerId !== undefined) {
    throw new UsageError(`"${providerId}": what is lost has no id at the platform`);
  }
  const order = orderOf(values);
  const answer = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const deliveryIds = [await deliveryMeant(place, asked)];
    const request = { workspaceId, deliveryIds, ...order };
    const done: readonly (Requeued | Resolved)[] = await withHint<readonly (Requeued | Resolved)[]>(
      providerId === undefined
        ? requeueDeliveries(client, request)
        : resolveDeliveries(client, { ...request, providerMessageIds: [providerId] }),
      'outrider deliveries show <delivery> says where it stands',
    );
    if (as === 'lost' && !order.dryRun) await wakeDispatchers(client);
    return done;
  });
  const isDone = answer.every((each) => ('requeued' in each ? each.requeued : each.resolved));
  if (form === 'json') printJson(terminal, answer.map(inSchemaNames));
  else {
    const notes = answer.map(({ deliveryId, note }) => ({ id: deliveryId, isDone, note }));
    // The note of an order that was carried out says only that the post may have arrived; the operator has just looked.
    if (!isDone) for (const line of notesOf(notes)) terminal.err(line);
    const became = as === 'sent' ? 'recorded as sent' : 'requeued';
    const count = isDone ? '1 delivery' : '0 deliveries';
    terminal.out(`${count} ${order.dryRun ? 'would be ' : ''}${became}`);
  }
  return isDone ? exitCodes.ok : exitCodes.failed;
}

function outcomeOf(given: string | undefined): 'sent' | 'lost' {
  if (given === 'sent' || given === 'lost') return given;
  throw new UsageError(
    'what became of it? --as sent <id at the platform> if it is in the chat, --as lost if it is not',
  );
}
