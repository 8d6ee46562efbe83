// What an operator orders about alerts.

import { type Acknowledged, ackAlert, silenceAlerts, unsilenceAlerts } from '../../db/monitor.ts';
import { NotFoundError } from '../../errors.ts';
import { askingOptions, inWorkspace, type Place, withHint } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { endOf } from '../given/moments.ts';
import { notesOf, operatorOptions, orderOf } from '../given/operator.ts';
import { readOptions, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { inSchemaNames, printJson } from '../screen/table.ts';
import { inFull } from '../screen/times.ts';
import { alertMeant } from './named.ts';

const options = { ...askingOptions, ...operatorOptions } as const;
const seeHelp = 'outrider alerts --help says more';

export async function ackOrder(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  if (positionals.length === 0) throw new UsageError('which alerts? name them');
  const order = orderOf(values);
  const answers = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const done: Acknowledged[] = [];
    for (const given of positionals) {
      const { alertId } = await alertMeant(place, given);
      done.push(await withHint(ackAlert(client, { workspaceId, alertId, ...order }), seeHelp));
    }
    return done;
  });
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else {
    const notes = answers.map(({ alertId: id, changed: isDone, note }) => ({ id, isDone, note }));
    for (const line of notesOf(notes)) terminal.err(line);
    const count = answers.filter((each) => each.changed).length;
    const what = `${count} ${count === 1 ? 'alert' : 'alerts'}`;
    terminal.out(`${what} ${order.dryRun ? 'would be ' : ''}acknowledged`);
  }
  return answers.every((each) => each.changed) ? exitCodes.ok : exitCodes.failed;
}

export async function silenceOrder(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, { ...options, for: text, until: text });
  const form = formOf(terminal, values);
  const given = oneOf(positionals);
  const end = silenceEnd(values);
  const order = orderOf(values);
  const answer = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const matches = await nameMeant(place, given);
    const until = (await end(place)).toISOString();
    return withHint(silenceAlerts(client, { workspaceId, matches, until, ...order }), seeHelp);
  });
  if (form === 'json') printJson(terminal, inSchemaNames(answer));
  else {
    const would = order.dryRun ? 'would be' : 'is';
    const open = `${answer.openAlerts} open ${answer.openAlerts === 1 ? 'alert' : 'alerts'}`;
    terminal.out(
      `${answer.matches} ${would} silenced until ${inFull(answer.until, new Date())}: ${open}`,
    );
  }
  return exitCodes.ok;
}

export async function unsilenceOrder(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, options);
  const form = formOf(terminal, values);
  const given = oneOf(positionals);
  const order = orderOf(values);
  const { matches, isDone } = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const meant = await nameMeant(place, given);
    const asked = unsilenceAlerts(client, { workspaceId, matches: meant, ...order });
    return { matches: meant, isDone: await withHint(asked, seeHelp) };
  });
  if (form === 'json') printJson(terminal, { matches, unsilenced: isDone });
  else if (isDone) terminal.out(`${matches} ${order.dryRun ? 'would be' : 'is'} told again`);
  else terminal.err(`${matches}: it is not silenced`);
  return isDone ? exitCodes.ok : exitCodes.failed;
}

function oneOf([given, ...more]: readonly string[]): string {
  if (given !== undefined && more.length === 0) return given;
  throw new UsageError('which alerts? name one alert, or one kind such as paused_channels');
}

/** A kind and a fingerprint are what they are; an id, or a part of one, means the fingerprint of its alert. */
async function nameMeant(place: Place, given: string): Promise<string> {
  if (given.includes(':') || given.includes('_')) return given;
  try {
    return (await alertMeant(place, given)).fingerprint;
  } catch (error) {
    if (error instanceof NotFoundError) return given;
    throw error;
  }
}

function silenceEnd(given: {
  readonly for?: string | undefined;
  readonly until?: string | undefined;
}): (place: Place) => Promise<Date> {
  if ((given.for === undefined) === (given.until === undefined)) {
    throw new UsageError('for how long? --for 2h, or --until with a time; one of them');
  }
  return endOf(given);
}
