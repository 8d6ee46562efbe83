// What an apply did or would do, one line for each change.

import type { Change } from '../../db/apply.ts';
import type { Terminal } from '../command.ts';
import { cutTo, oneLine } from '../screen/shown-text.ts';
import { type Colour, paint } from '../screen/table.ts';

export interface Applied {
  readonly workspaceId: string;
  readonly changes: readonly Change[];
  readonly prune: boolean;
  readonly dryRun: boolean;
}

const signs: Readonly<Record<Change['action'], { sign: string; colour: Colour }>> = {
  add: { sign: '+', colour: 'green' },
  change: { sign: '~', colour: 'yellow' },
  remove: { sign: '-', colour: 'red' },
  keep: { sign: '=', colour: 'gray' },
};

export function printApplied(terminal: Terminal, applied: Applied): void {
  const { changes } = applied;
  const line = (action: Change['action'], text: string): void => {
    const { sign, colour } = signs[action];
    terminal.out(paint(terminal, colour, `${sign} ${text}`));
  };
  const unlisted = changes.filter(isUnlisted);
  const kept = changes.filter((each) => each.action === 'keep' && !isUnlisted(each));

  for (const each of changes) if (each.action !== 'keep') line(each.action, inWords(each));
  if (kept.length > 0) line('keep', `${kept.length} unchanged`);
  if (applied.prune) for (const each of unlisted) line('keep', inWords(each));
  else if (unlisted.length > 0) {
    line('keep', `${unlisted.length} not in the file, left alone; --prune removes them`);
  }
  for (const each of changes) {
    for (const warning of each.warnings ?? []) {
      terminal.err(paint(terminal, 'yellow', `! ${nameOf(each)}: ${warning}`));
    }
  }
  terminal.out(summaryOf(applied));
}

/** What the file does not list and the apply has left alone. */
function isUnlisted(change: Change): boolean {
  return change.action === 'keep' && change.note !== undefined;
}

/** Whether anything changes. */
export function hasChanges(changes: readonly Change[]): boolean {
  return changes.some((each) => each.action !== 'keep');
}

function summaryOf({ workspaceId, changes, dryRun }: Applied): string {
  if (!hasChanges(changes)) return `${workspaceId}: nothing to change.`;
  const count = (action: Change['action']): number =>
    changes.filter((each) => each.action === action).length;
  const [add, change, remove] = [count('add'), count('change'), count('remove')];
  return dryRun
    ? `${workspaceId}: ${add} to add, ${change} to change, ${remove} to remove. Nothing was changed.`
    : `${workspaceId}: ${add} added, ${change} changed, ${remove} removed.`;
}

function nameOf({ kind, id }: Change): string {
  return kind === 'settings' ? 'settings' : `${kind.replace('_', ' ')} ${oneLine(id)}`;
}

function inWords(change: Change): string {
  const name = nameOf(change);
  const note = change.note === undefined ? '' : ` (${oneLine(change.note)})`;
  if (change.action === 'add') return `${name}${detailsOf(change)}${note}`;
  const fields = Object.entries(change.fields)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([field, { from, to }]) => {
      const [before, after] = [shown(from), shown(to)];
      return before === after ? `${field} changed` : `${field} ${before} → ${after}`;
    });
  return `${name}${fields.length > 0 ? `  ${fields.join(', ')}` : ''}${note}`;
}

/** The fields that tell one thing from another at first sight. */
const telling: Readonly<Record<Change['kind'], readonly string[]>> = {
  workspace: ['name'],
  settings: [],
  endpoint: ['kind'],
  credential: ['platform', 'secret_ref'],
  rate_group: ['rate_rps'],
  template: [],
  channel: ['platform', 'target_id'],
  pull_source: ['kind'],
  alert_target: ['kind'],
  bot_rule: ['intent'],
};

function detailsOf({ kind, fields }: Change): string {
  const details = telling[kind].flatMap((name) =>
    fields[name] === undefined ? [] : [shown(fields[name].to)],
  );
  if (details.length === 0) return '';
  return ` (${details.join(' ')}${kind === 'rate_group' ? ' a second' : ''})`;
}

/** A value as YAML would have it in one line, cut short. */
function shown(value: unknown): string {
  return cutTo(oneLine(flow(value)), 60);
}

function flow(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([key, inner]) => `${key}: ${flow(inner)}`);
    return `{${entries.join(', ')}}`;
  }
  if (typeof value === 'string') return value === '' ? '""' : value;
  return JSON.stringify(value) ?? 'nothing';
}
