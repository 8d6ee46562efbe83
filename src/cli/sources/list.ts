// Pull sources at a glance: when each is read, what it brought, what is wrong with it.

import { type ListedSource, listPullSources } from '../../db/pull.ts';
import { askingOptions, inWorkspace } from '../asking.ts';
import { exitCodes, type Terminal } from '../command.ts';
import { readOptionsOnly } from '../given/options.ts';
import { formOf } from '../screen/form.ts';
import { type Colour, type List, printList } from '../screen/table.ts';
import { relative } from '../screen/times.ts';
import { intervalOf, watching, watchOptions } from '../screen/watching.ts';

export async function listed(args: readonly string[], terminal: Terminal): Promise<number> {
  const values = readOptionsOnly(args, { ...askingOptions, ...watchOptions });
  const form = formOf(terminal, values);
  const everyMs = intervalOf(terminal, form, values);
  await inWorkspace(terminal, values.workspace, ({ client, workspaceId }) =>
    watching(terminal, { everyMs }, async (screen) => {
      const rows = inOrder(await listPullSources(client, workspaceId));
      if (form === 'table' && rows.length === 0) screen.out(noneInWords);
      else printList(screen, sourceList(new Date()), rows, { form });
    }),
  );
  return exitCodes.ok;
}

const noneInWords =
  'There are none. pull_sources in a file for outrider apply makes them: docs/sources.md.';

/** Those that somebody should look at first. */
function inOrder(rows: readonly ListedSource[]): ListedSource[] {
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ state }: ListedSource): number {
  if (state === 'failing') return 0;
  return state === 'held' ? 1 : 2;
}

const colours: Readonly<Record<ListedSource['state'], Colour>> = {
  failing: 'red',
  held: 'yellow',
  disabled: 'gray',
  manual: 'gray',
  pulling: 'green',
  due: 'green',
  waiting: 'green',
};

function sourceList(now: Date): List<ListedSource> {
  const ago = (at: Date | null): string => (at === null ? '–' : relative(at, now));
  return {
    fields: [
      'sourceId',
      'kind',
      'state',
      'enabled',
      'pulledAt',
      'nextPullAt',
      'itemsTaken',
      'lastItemAt',
      'failures',
      'failingSince',
      'lastError',
      'heldItem',
      'heldPulls',
      'authRef',
      'rateGroup',
    ],
    columns: [
      { title: 'source', cell: (row) => row.sourceId },
      { title: 'kind', cell: (row) => row.kind },
      { title: 'state', cell: ({ state }) => ({ text: state, colour: colours[state] }) },
      { title: 'why', shrinks: 30, cell: whyOf },
      { title: 'last read', cell: (row) => ago(row.pulledAt) },
      { title: 'next', cell: ({ nextPullAt, state }) => nextInWords(nextPullAt, state, now) },
      { title: 'items', align: 'right', cell: (row) => String(row.itemsTaken) },
      { title: 'last item', cell: (row) => ago(row.lastItemAt) },
      { title: 'credential', cell: (row) => row.authRef ?? '–' },
    ],
  };
}

function whyOf({ lastError, failures, heldItem, heldPulls }: ListedSource): string {
  if (lastError !== null) return `${lastError} (${failures} in a row)`;
  if (heldItem === null) return '';
  return `a medium of item ${heldItem} cannot be fetched (${heldPulls} of 3 pulls)`;
}

function nextInWords(at: Date | null, state: ListedSource['state'], now: Date): string {
  if (at === null || state === 'pulling') return '–';
  return at.getTime() <= now.getTime() ? 'now' : relative(at, now);
}
