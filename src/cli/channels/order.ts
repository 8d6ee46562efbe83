// An operator's orders to channels: pause, resume, enable, disable.

import { wakeDispatchers } from '../../db/dispatch.ts';
import {
  disableChannels,
  enableChannels,
  type OrderedChannel,
  pauseChannels,
  resumeChannels,
} from '../../db/operate.ts';
import { askingOptions, inWorkspace, type Place, withHint } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { endOf } from '../given/moments.ts';
import { carriedOut, notesOf, operatorOptions, orderOf } from '../given/operator.ts';
import { readOptions, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { inSchemaNames, printJson } from '../screen/table.ts';
import { choiceOptions, chosenChannels, isChoice } from './choice.ts';

const orders = {
  pause: { done: 'paused', call: pauseChannels },
  resume: { done: 'resumed', call: resumeChannels },
  enable: { done: 'enabled', call: enableChannels },
  disable: { done: 'disabled', call: disableChannels },
} as const;

export type OrderName = keyof typeof orders;

const options = {
  ...askingOptions,
  ...choiceOptions,
  ...operatorOptions,
  for: text,
  until: text,
} as const;

export async function ordered(
  name: OrderName,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, positionals: names } = readOptions(args, options);
  const form = formOf(terminal, values);
  const choice = { names, ...values };
  if (!isChoice(choice)) {
    throw new UsageError(
      "which channels? name them ('*' for all), or choose them by --credential, --group or --platform",
    );
  }
  const end = pauseEnd(name, values);
  const order = orderOf(values);
  const answers = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const channelIds = await chosenChannels(place, choice);
    const until = (await end?.(place))?.toISOString();
    const done = await carriedOut(terminal, values, {
      size: channelIds.length,
      call: (dryRun) =>
        withHint(
          orders[name].call(client, { workspaceId, channelIds, ...order, dryRun, until }),
          `outrider channels --help says more`,
        ),
      isChange: (each) => each.changed,
      foretell: (changes) => `${changes} channels would be ${orders[name].done}`,
    });
    if (!order.dryRun && done.some((each) => each.changed)) await wakeDispatchers(client);
    return done;
  });
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else printOrdered(terminal, orders[name].done, answers, order.dryRun);
  const areNamed = names.length > 0 && names.every((each) => !/[*?]/.test(each));
  const isWell = areNamed
    ? answers.every((each) => each.changed)
    : answers.some((each) => each.changed);
  return isWell ? exitCodes.ok : exitCodes.failed;
}

/** Until when a pause lasts, by the database's clock; undefined: until somebody ends it. */
function pauseEnd(
  name: OrderName,
  given: { readonly for?: string | undefined; readonly until?: string | undefined },
): ((place: Place) => Promise<Date>) | undefined {
  const { for: length, until } = given;
  if (length === undefined && until === undefined) return undefined;
  if (name !== 'pause') throw new UsageError(`${name} has no end: --for and --until go with pause`);
  if (length !== undefined && until !== undefined) {
    throw new UsageError('--for and --until both say when it ends; give one of them');
  }
  return endOf(given);
}

const namedAtMost = 10;

/** What became of each channel: those that changed by name, the others with their reasons. */
export function printOrdered(
  terminal: Terminal,
  done: string,
  answers: readonly OrderedChannel[],
  dryRun: boolean,
): void {
  const notes = answers.map(({ channelId, changed, note }) => {
    return { id: channelId, isDone: changed, note };
  });
  for (const line of notesOf(notes)) terminal.err(line);
  const changed = answers.filter((each) => each.changed).map((each) => each.channelId);
  const count = `${changed.length} ${changed.length === 1 ? 'channel' : 'channels'}`;
  const more = changed.length - namedAtMost;
  const list = changed.slice(0, namedAtMost).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const which = changed.length === 0 ? '' : `: ${list}`;
  terminal.out(`${count} ${dryRun ? 'would be ' : ''}${done}${which}`);
}
