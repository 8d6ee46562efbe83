// Channels get another credential, once what they are sending has ended.

import { type Clock, systemClock } from '../../clock.ts';
import { wakeDispatchers } from '../../db/dispatch.ts';
import { type RotatedChannel, rotateAuth } from '../../db/operate.ts';
import { askingOptions, inWorkspace, withHint } from '../asking.ts';
import { choiceOptions, chosenChannels, isChoice } from '../channels/choice.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { carriedOut, notesOf, operatorOptions, orderOf } from '../given/operator.ts';
import { flag, readOptions, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { inSchemaNames, printJson } from '../screen/table.ts';
import { inFull } from '../screen/times.ts';
import { throughStages } from '../screen/waiting.ts';

const options = {
  ...askingOptions,
  ...choiceOptions,
  ...operatorOptions,
  to: text,
  'new-group': text,
  force: flag,
} as const;

/** A little less than the pause of rotate_auth, so that the last question does not begin another one. */
const patienceMs = 115_000;
const everyMs = 500;

export async function rotated(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals: names } = readOptions(args, options);
  const form = formOf(terminal, values);
  const choice = { names, ...values };
  const { to: authRef, 'new-group': rateGroup, force } = values;
  if (!isChoice(choice)) {
    throw new UsageError(
      'which channels? name them, or choose those of a credential by --credential',
    );
  }
  if (authRef === undefined) throw new UsageError('which credential do they get? --to names it');
  const order = orderOf(values);
  const answers = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const channelIds = await chosenChannels(place, choice);
    const rotate = (dryRun: boolean): Promise<RotatedChannel[]> =>
      withHint(
        rotateAuth(client, {
          workspaceId,
          channelIds,
          authRef,
          rateGroup,
          force,
          ...order,
          dryRun,
        }),
        'outrider auth check lists the credentials; outrider apply binds one to its secret',
      );
    const done = await carriedOut(terminal, values, {
      size: channelIds.length,
      call: (dryRun) => (dryRun ? rotate(true) : whenDrained(terminal, () => rotate(false))),
      isChange: (each) => each.rotated || each.sending > 0,
      foretell: (changes) => `${changes} channels would get credential ${authRef}`,
    });
    if (!order.dryRun && done.some((each) => each.rotated)) await wakeDispatchers(client);
    return done;
  });
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else printRotated(terminal, answers, { authRef, dryRun: order.dryRun });
  return answers.some((each) => each.rotated) ? exitCodes.ok : exitCodes.failed;
}

/** Asks until nothing is being sent any more, or no longer. */
export async function whenDrained(
  terminal: Pick<Terminal, 'progress'>,
  rotate: () => Promise<RotatedChannel[]>,
  clock: Clock = systemClock,
): Promise<readonly RotatedChannel[]> {
  const end = clock.now() + patienceMs;
  return throughStages(
    terminal,
    async (begin) => {
      for (;;) {
        const answers = await rotate();
        const sending = answers.reduce((sum, each) => sum + each.sending, 0);
        const waits = answers.every((each) => !each.rotated) && sending > 0;
        if (!waits || clock.now() >= end) return answers;
        begin('waiting for what these channels are sending; they begin nothing new meanwhile');
        await new Promise<void>((resolve) => void clock.after(everyMs, resolve));
      }
    },
    clock,
  );
}

function printRotated(
  terminal: Terminal,
  answers: readonly RotatedChannel[],
  { authRef, dryRun }: { readonly authRef: string; readonly dryRun: boolean },
): void {
  const notes = answers.map(({ channelId, rotated: isDone, note }) => {
    return { id: channelId, isDone, note };
  });
  for (const line of notesOf(notes)) terminal.err(line);
  const changed = answers.filter((each) => each.rotated).length;
  const what = `${changed} ${changed === 1 ? 'channel' : 'channels'}`;
  const verb = dryRun ? 'would get' : changed === 1 ? 'has' : 'have';
  terminal.out(`${what} ${verb} credential ${authRef}`);
  const busy = answers.filter((each) => !each.rotated && each.sending > 0);
  const ends = busy.flatMap((each) => each.sendingUntil?.getTime() ?? []);
  if (ends.length === 0) return;
  const until = new Date(Math.max(...ends));
  const sending = busy.reduce((sum, each) => sum + each.sending, 0);
  terminal.err(
    `${sending} being sent, under leases until ${inFull(until, new Date())}; a live sender extends them. ` +
      'Run it again, or say --force: they end with the old credential.',
  );
}
