// Looks whether channels can post: their credentials, chats, paces, windows and templates.

import { placeOf } from '../../db/pool.ts';
import { checksOfChannels } from '../../doctor/checks.ts';
import { examine } from '../../doctor/examine.ts';
import { gatherChannels } from '../../doctor/gather.ts';
import { askingOptions, inWorkspace, type Place } from '../asking.ts';
import type { Terminal } from '../command.ts';
import { openMeans } from '../doctor/means.ts';
import { exitCodeOf, printReport } from '../doctor/view.ts';
import { countOf } from '../doctor.ts';
import { readOptions } from '../given/options.ts';
import { untilStopped } from '../ground.ts';
import { configOfServices } from '../sandbox/running.ts';
import { formOf } from '../screen/form.ts';
import { throughStages } from '../screen/waiting.ts';
import { choiceOptions, chosenChannels, isChoice } from './choice.ts';

const options = { ...askingOptions, ...choiceOptions } as const;

export async function examinedChannels(
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, positionals: names } = readOptions(args, options);
  const form = formOf(terminal, values);
  const choice = { names, ...values };
  return inWorkspace(terminal, values.workspace, async (place) => {
    const chosen = isChoice(choice) ? await chosenChannels(place, choice) : [];
    const gathered = await untilStopped(terminal, (signal) =>
      throughStages(terminal, (begin) => gatherIn(place, terminal, chosen, { signal, begin })),
    );
    const report = await examine(checksOfChannels, gathered);
    printReport(terminal, report, countOf(gathered), form);
    return exitCodeOf(report);
  });
}

async function gatherIn(
  place: Place,
  terminal: Terminal,
  channelIds: readonly string[],
  running: { readonly signal: AbortSignal; readonly begin: (what: string) => void },
) {
  const config = await configOfServices(place.config, terminal);
  const opening = { place: placeOf(place.database.url) };
  await using opened = await openMeans({ config, terminal, ...running }, { opening });
  return await gatherChannels(opened.means, place.client, place.workspaceId, channelIds);
}
