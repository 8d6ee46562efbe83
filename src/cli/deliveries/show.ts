import { explainDelivery } from '../../db/explain.ts';
import { showDelivery } from '../../db/inspect.ts';
import { askingOptions, inWorkspace, withHint } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { readOptions } from '../given/options.ts';
import { deliveryMeant, idOf } from '../given/short-ids.ts';
import { formOf } from '../screen/form.ts';
import { printDelivery } from './view.ts';

export async function shown(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, askingOptions);
  const form = formOf(terminal, values);
  const [given, ...more] = positionals;
  if (given === undefined)
    throw new UsageError('which delivery? name it by its id; outrider deliveries lists them');
  if (more.length > 0) throw new UsageError(`show takes one delivery, not ${positionals.length}`);
  const asked = idOf('delivery', given);
  await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const deliveryId = await deliveryMeant(place, asked);
    const delivery = await withHint(
      showDelivery(client, workspaceId, deliveryId),
      'outrider deliveries lists the latest',
    );
    const reasons = await explainDelivery(client, { workspaceId, deliveryId });
    printDelivery(terminal, delivery, { form, reasons, now: new Date() });
  });
  return exitCodes.ok;
}
