// What is wrong, and where it is told.

import {
  type AlertTarget,
  type ListedAlert,
  listAlerts,
  listAlertTargets,
  listSilences,
  type ShownAlert,
  type Silence,
  showAlert,
} from '../../db/monitor.ts';
import { askingOptions, inWorkspace, limitOf } from '../asking.ts';
import { exitCodes, type Terminal, UsageError } from '../command.ts';
import { flag, readOptions, readOptionsOnly, text } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { oneLine } from '../screen/shown-text.ts';
import {
  type Colour,
  type List,
  paint,
  printFacts,
  printJson,
  printList,
} from '../screen/table.ts';
import { inFull, relative } from '../screen/times.ts';
import { alertMeant } from './named.ts';

const colours = { info: 'gray', warning: 'yellow', critical: 'red' } as const satisfies Record<
  string,
  Colour
>;

export async function listed(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, { ...askingOptions, all: flag, limit: text });
  const form = formOf(terminal, values);
  const limit = limitOf(values.limit ?? '50');
  const state = values.all ? undefined : 'open';
  const rows = await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
    listAlerts(client, { workspaceId, state, limit }),
  );
  if (form === 'table' && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, alertList(new Date()), rows, { form });
  return exitCodes.ok;
}

function alertList(now: Date): List<ListedAlert> {
  return {
    fields: [
      'alertId',
      'kind',
      'fingerprint',
      'severity',
      'state',
      'openedAt',
      'resolvedAt',
      'notifiedAt',
      'acknowledgedBy',
      'silencedUntil',
      'summary',
    ],
    columns: [
      { title: 'alert', cell: (row) => row.alertId.slice(0, 8) },
      {
        title: 'severity',
        cell: (row) => ({ text: row.severity, colour: colours[row.severity] }),
      },
      { title: 'state', cell: (row) => stateInWords(row, now) },
      { title: 'opened', cell: (row) => relative(row.openedAt, now) },
      { title: 'of', cell: (row) => row.fingerprint },
      { title: 'in words', shrinks: 20, cell: (row) => row.summary },
    ],
  };
}

function stateInWords(row: ListedAlert, now: Date): string {
  if (row.resolvedAt !== null) return `resolved ${relative(row.resolvedAt, now)}`;
  if (row.silencedUntil !== null) return `silenced, ends ${relative(row.silencedUntil, now)}`;
  return row.acknowledgedBy === null ? row.state : `acknowledged by ${row.acknowledgedBy}`;
}

export async function shown(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, askingOptions);
  const form = formOf(terminal, values);
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw new UsageError('which alert? name one');
  const alert = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const { alertId } = await alertMeant(place, given);
    return showAlert(client, { workspaceId, alertId });
  });
  if (form === 'json') printJson(terminal, alert);
  else if (form === 'tsv') printFacts(terminal, alert);
  else printAlert(terminal, alert);
  return exitCodes.ok;
}

function printAlert(terminal: Terminal, alert: ShownAlert): void {
  const { now, silence } = alert;
  const when = (at: Date | null): string | undefined => (at === null ? undefined : inFull(at, now));
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['alert', alert.alert_id],
    ['severity', paint(terminal, colours[alert.severity], alert.severity)],
    ['of', alert.fingerprint],
    ['opened', when(alert.opened_at)],
    ['resolved', when(alert.resolved_at)],
    ['told', when(alert.notified_at)],
    [
      'known to',
      alert.acknowledged_by === null
        ? undefined
        : `${alert.acknowledged_by}: ${alert.acknowledged_because ?? ''}`,
    ],
    [
      'silenced',
      silence === null
        ? undefined
        : `until ${inFull(silence.until, now)}, by ${silence.operator}: ${silence.reason}`,
    ],
    ['runbook', alert.runbook],
  ];
  terminal.out(paint(terminal, 'bold', oneLine(alert.summary)));
  terminal.out('');
  for (const [name, words] of facts) {
    if (words !== undefined)
      terminal.out(`  ${paint(terminal, 'gray', name.padEnd(10))} ${oneLine(words)}`);
  }
  for (const [name, value] of Object.entries(alert.detail)) {
    terminal.out(`  ${paint(terminal, 'gray', name.padEnd(10))} ${oneLine(JSON.stringify(value))}`);
  }
  if (alert.notifications.length === 0) return;
  terminal.out('');
  for (const each of alert.notifications) {
    const error = each.last_error === null ? '' : `: ${oneLine(each.last_error)}`;
    const at = relative(each.ended_at ?? each.created_at, now);
    terminal.out(`  ${each.alert_target_id}  ${each.status} ${at}${error}`);
  }
}

export async function silences(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, askingOptions);
  const form = formOf(terminal, values);
  const rows = await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
    listSilences(client, workspaceId),
  );
  if (form === 'table' && rows.length === 0) terminal.out('There are none.');
  else printList(terminal, silenceList(new Date()), rows, { form });
  return exitCodes.ok;
}

function silenceList(now: Date): List<Silence> {
  return {
    fields: ['matches', 'until', 'operator', 'reason'],
    columns: [
      { title: 'alerts', cell: (row) => row.matches },
      { title: 'ends', cell: (row) => relative(row.until, now) },
      { title: 'by', cell: (row) => row.operator },
      { title: 'because', shrinks: 8, cell: (row) => row.reason },
    ],
  };
}

export async function targets(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, askingOptions);
  const form = formOf(terminal, values);
  const rows = await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
    listAlertTargets(client, workspaceId),
  );
  if (form === 'table' && rows.length === 0) terminal.out(noTargets);
  else printList(terminal, targetList(new Date()), rows.map(asRow), { form });
  return exitCodes.ok;
}

export const noTargets =
  'There are none: put them under alert_targets of the workspace’s file (docs/configuration.md), then outrider apply.';

function asRow({ address, ...target }: AlertTarget) {
  return { ...target, kind: address.kind, place: placeOf(address) };
}

/** Where a target is, in words. */
export function placeOf({ kind, targetId, url, recipients }: AlertTarget['address']): string {
  if (targetId !== null) return targetId;
  if (url !== null) return new URL(url).host;
  return recipients === null ? `the ${kind}` : recipients.join(', ');
}

function targetList(now: Date): List<ReturnType<typeof asRow>> {
  return {
    fields: [
      'alertTargetId',
      'kind',
      'enabled',
      'minSeverity',
      'reachedAt',
      'undeliveredSince',
      'lastError',
      'place',
    ],
    columns: [
      { title: 'target', cell: (row) => row.alertTargetId },
      { title: 'kind', cell: (row) => row.kind },
      { title: 'place', cell: (row) => row.place },
      { title: 'from', cell: (row) => row.minSeverity },
      {
        title: 'state',
        cell(row) {
          if (!row.enabled) return { text: 'disabled', colour: 'gray' };
          if (row.undeliveredSince !== null) return { text: 'not reached', colour: 'red' };
          if (row.lastError !== null) return { text: 'tried again', colour: 'yellow' };
          return { text: 'well', colour: 'green' };
        },
      },
      {
        title: 'last reached',
        cell: (row) => (row.reachedAt === null ? '–' : relative(row.reachedAt, now)),
      },
      { title: 'last error', shrinks: 8, cell: (row) => row.lastError ?? '' },
    ],
  };
}
