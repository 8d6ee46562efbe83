// A test message to every alert target.

import { randomUUID } from 'node:crypto';
import { type AlertTarget, listAlertTargets } from '../../db/monitor.ts';
import { NotFoundError } from '../../errors.ts';
import { createLog } from '../../log.ts';
import { maskText } from '../../masking.ts';
import type { Tell } from '../../monitor/targets/target.ts';
import { openAlertTargets } from '../../roles/alert-targets.ts';
import { openProviders } from '../../roles/providers.ts';
import { createSecrets } from '../../secrets.ts';
import { askingOptions, inWorkspace, type Place } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { thereAre } from '../given/nearest.ts';
import { userName } from '../given/operator.ts';
import { readOptions } from '../given/options.ts';
import { configOfSandbox } from '../sandbox/running.ts';
import { formOf } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import { inSchemaNames, paint, printJson, tabbedLines } from '../screen/table.ts';
import { noTargets, placeOf } from './list.ts';

interface Tested {
  readonly alertTargetId: string;
  readonly kind: string;
  readonly place: string;
  readonly reached: boolean;
  /** What the other side said, or why it was not reached. */
  readonly said: string;
}

const patienceMs = 30_000;

export async function tested(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, askingOptions);
  const form = formOf(terminal, values);
  const answers = await inWorkspace(terminal, values.workspace, (place) =>
    testAll(place, positionals, terminal),
  );
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else if (form === 'tsv') {
    const fields = ['alertTargetId', 'kind', 'place', 'reached', 'said'] as const;
    for (const line of tabbedLines(fields, answers)) terminal.out(line);
  } else printTested(terminal, answers);
  return answers.every((each) => each.reached) ? exitCodes.ok : exitCodes.failed;
}

async function testAll(
  place: Place,
  named: readonly string[],
  terminal: Terminal,
): Promise<Tested[]> {
  const { client, workspaceId } = place;
  const known = await listAlertTargets(client, workspaceId);
  const names = known.map((each) => each.alertTargetId);
  const unknown = named.find((each) => !names.includes(each));
  if (unknown !== undefined) {
    throw new NotFoundError(`there is no alert target "${unknown}"`, {
      hint: names.length === 0 ? 'there is none yet' : thereAre(names),
    });
  }
  const chosen = known.filter(({ enabled, alertTargetId }) =>
    named.length === 0 ? enabled : named.includes(alertTargetId),
  );
  const config = (await configOfSandbox(place.config)) ?? place.config;
  const providers = await openProviders(config);
  try {
    const log = createLog({
      level: 'info',
      pretty: false,
      write: (line) => terminal.err(line.trimEnd()),
    });
    const secrets = createSecrets(config.secrets);
    const { adapters } = providers;
    const tell = openAlertTargets({ config, client, log, secrets, adapters });
    return await Promise.all(chosen.map((each) => testOne(tell, workspaceId, each)));
  } finally {
    await providers.close();
  }
}

async function testOne(tell: Tell, workspaceId: string, target: AlertTarget): Promise<Tested> {
  const { alertTargetId, address } = target;
  const subject = `workspace ${workspaceId}: test message`;
  const body = `Outrider, ${subject}\nAlerts will be told here. ${userName()} has sent this message with outrider alerts test.`;
  const message = {
    id: randomUUID(),
    workspaceId,
    alertTargetId,
    address,
    subject,
    body,
    changes: [],
  };
  const told = await tell(message, AbortSignal.timeout(patienceMs));
  return {
    alertTargetId,
    kind: address.kind,
    place: placeOf(address),
    reached: told.ok,
    said: maskText(told.ok ? told.said : told.reason),
  };
}

function printTested(terminal: Terminal, answers: readonly Tested[]): void {
  if (answers.length === 0) terminal.out(noTargets);
  const width = Math.max(...answers.map((each) => each.alertTargetId.length));
  for (const { alertTargetId, kind, place, reached, said } of answers) {
    const word = reached
      ? paint(terminal, 'green', 'reached    ')
      : paint(terminal, 'red', 'not reached');
    terminal.out(oneLine(`${alertTargetId.padEnd(width)}  ${word}  ${kind} ${place}: ${said}`));
  }
}
