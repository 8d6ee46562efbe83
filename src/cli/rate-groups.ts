import { wakeDispatchers } from '../db/dispatch.ts';
import { type ListedRateGroup, listRateGroups } from '../db/inspect.ts';
import { disableRateGroup, enableRateGroup, type OrderedChannel } from '../db/operate.ts';
import { NotFoundError } from '../errors.ts';
import {
  askingOptions,
  askingUsage,
  inWorkspace,
  type Place,
  shellWord,
  subcommandOf,
  withHint,
} from './asking.ts';
import { printOrdered } from './channels/order.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { nearest, thereAre } from './given/nearest.ts';
import { carriedOut, operatorOptions, operatorUsage, orderOf } from './given/operator.ts';
import { readOptions } from './given/options.ts';
import { type Form, formOf } from './screen/form.ts';
import { inSchemaNames, type List, printJson, printList } from './screen/table.ts';
import { relative } from './screen/times.ts';
import { intervalOf, watching, watchOptions, watchUsage } from './screen/watching.ts';

const usage = `outrider rate-groups [list] [options]
outrider rate-groups disable <group>… --reason R [options]
outrider rate-groups enable <group>… --reason R [options]

list      rate groups, those that do not send first: why not and until when, how many of their channels are stopped
disable   takes all channels of a group out of service: no post is routed to them, and what waits goes on waiting
enable    lets all channels of a group send again, without pause and without errors in a row, whoever stopped them

A group is named as the list shows it, with its platform before a slash, or without it where no other platform has a
group of that name. What the platform itself asked for (a cooldown, an outage, a refused credential) is not changed by
either. Exit code 1: no channel was changed.

${operatorUsage}
${watchUsage}

${askingUsage}`;

export const rateGroups: Command = {
  usage,
  async run(args, terminal) {
    const { name, rest } = subcommandOf(args, ['list', 'disable', 'enable'] as const, (given) =>
      given.includes('/') ? `outrider rate-groups disable ${shellWord(given)}` : undefined,
    );
    return name === 'list' ? listed(rest, terminal) : ordered(name, rest, terminal);
  },
};

async function listed(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions(args, { ...askingOptions, ...watchOptions });
  const form = formOf(terminal, values);
  const everyMs = intervalOf(terminal, form, values);
  await inWorkspace(terminal, values.workspace, (place) =>
    watching(terminal, { everyMs }, async (screen) => {
      printGroups(screen, form, await groupsMeant(place, positionals));
    }),
  );
  return exitCodes.ok;
}

const orders = {
  disable: { done: 'disabled', call: disableRateGroup },
  enable: { done: 'enabled', call: enableRateGroup },
} as const;

async function ordered(
  name: keyof typeof orders,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, positionals } = readOptions(args, { ...askingOptions, ...operatorOptions });
  const form = formOf(terminal, values);
  if (positionals.length === 0) {
    throw new UsageError('which rate groups? name them; outrider rate-groups lists them');
  }
  const order = orderOf(values);
  const { done, call } = orders[name];
  const answers = await inWorkspace(terminal, values.workspace, async (place) => {
    const { client, workspaceId } = place;
    const groups = await groupsMeant(place, positionals);
    const callAll = async (dryRun: boolean): Promise<OrderedChannel[]> => {
      const found: OrderedChannel[] = [];
      for (const { platform, rateGroup } of groups) {
        const request = { workspaceId, platform, rateGroup, ...order, dryRun };
        found.push(...(await withHint(call(client, request), hint)));
      }
      return found;
    };
    const changed = await carriedOut(terminal, values, {
      size: groups.reduce((sum, each) => sum + each.channels, 0),
      call: callAll,
      isChange: (each) => each.changed,
      foretell: (changes) => `${changes} channels would be ${done}`,
    });
    if (!order.dryRun && changed.some((each) => each.changed)) await wakeDispatchers(client);
    return changed;
  });
  if (form === 'json') printJson(terminal, answers.map(inSchemaNames));
  else printOrdered(terminal, done, answers, order.dryRun);
  return answers.some((each) => each.changed) ? exitCodes.ok : exitCodes.failed;
}

const hint = 'outrider rate-groups lists them';

/** The groups that are named; none named: all. */
async function groupsMeant(
  { client, workspaceId }: Place,
  names: readonly string[],
): Promise<ListedRateGroup[]> {
  const known = await listRateGroups(client, workspaceId);
  if (names.length === 0) return known;
  const meant = names.map((name) => groupMeant(name, known));
  return known.filter((each) => meant.includes(each));
}

function groupMeant(name: string, known: readonly ListedRateGroup[]): ListedRateGroup {
  const whole = known.find((each) => titleOf(each) === name);
  const found = whole === undefined ? known.filter((each) => each.rateGroup === name) : [whole];
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  if (only !== undefined) {
    throw new UsageError(`"${name}" may be ${found.map(titleOf).join(' or ')}`);
  }
  const titles = known.map(titleOf);
  const close = nearest(name, [...titles, ...known.map((each) => each.rateGroup)]);
  const instead = titles.length === 0 ? 'there is none yet' : thereAre(titles);
  throw new NotFoundError(
    `there is no rate group "${name}"; ${close === undefined ? instead : `did you mean ${close}?`}`,
    { hint },
  );
}

function titleOf({ platform, rateGroup }: ListedRateGroup): string {
  return `${platform}/${rateGroup}`;
}

function printGroups(terminal: Terminal, form: Form, rows: readonly ListedRateGroup[]): void {
  if (form === 'table' && rows.length === 0) terminal.out('There are none yet.');
  else printList(terminal, groupList(new Date()), rows, { form });
}

function groupList(now: Date): List<ListedRateGroup> {
  return {
    fields: [
      'platform',
      'rateGroup',
      'state',
      'stateSince',
      'stateUntil',
      'stateReason',
      'rateRps',
      'authRefs',
      'channels',
      'disabled',
      'paused',
    ],
    columns: [
      { title: 'group', cell: titleOf },
      {
        title: 'state',
        cell: ({ state }) => ({
          text: state.replaceAll('_', ' '),
          colour: state === 'open' ? 'green' : 'yellow',
        }),
      },
      {
        title: 'until',
        cell: ({ stateUntil }) => (stateUntil === null ? '' : relative(stateUntil, now)),
      },
      { title: 'channels', align: 'right', cell: (row) => String(row.channels) },
      { title: 'disabled', align: 'right', cell: (row) => String(row.disabled) },
      { title: 'paused', align: 'right', cell: (row) => String(row.paused) },
      {
        title: 'per second',
        align: 'right',
        cell: ({ rateRps }) => (rateRps === null || rateRps === 0 ? 'no limit' : String(rateRps)),
      },
      { title: 'credentials', shrinks: 8, cell: (row) => row.authRefs.join(', ') },
      { title: 'why', shrinks: 8, cell: (row) => row.stateReason ?? '' },
    ],
  };
}
