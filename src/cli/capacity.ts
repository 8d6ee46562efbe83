import { listChannels } from '../db/inspect.ts';
import { inWorkspace } from './asking.ts';
import { capacityOf } from './capacity/capacity.ts';
import {
  channelOptions,
  defaultChannels,
  defaultPlatform,
  defaults,
  workloadOf,
  workloadOptions,
} from './capacity/options.ts';
import { printCapacity } from './capacity/screen.ts';
import { channelsIn } from './capacity/workspace-channels.ts';
import { type Command, exitCodes } from './command.ts';
import { readOptionsOnly, text } from './given/options.ts';
import { formOf, formOptions, formUsage } from './screen/form.ts';
import { inWords, platformNames } from './screen/platform-words.ts';

const counts = platformNames.map((name) => String(defaultChannels[name] ?? 0));

const usage = `outrider capacity [options]

Says how much of each part a number of channels and posts uses, how much that part carries, and which part is the limit:
the pace of the platforms, intake, PostgreSQL, the sending processes, the disk. What PostgreSQL and a process carry was
measured (docs/scaling.md says where); platforms count as Outrider paces them. It needs no database.

What is sent:
  --channels N            channels, all of one platform (--platform: ${inWords(platformNames, 'disjunction')}; default: ${defaultPlatform})
  ${platformNames.map((name) => `--${name} N`).join(', ')}
                          or how many there are of each (default: ${inWords(counts, 'conjunction')})
  --workspace W           or the enabled channels of this workspace, with their pace and rate groups; asks the database
  --bots N                credentials of each platform, which share its channels (default: ${defaults.bots})
  --posts-per-day N       posts (default: ${defaults['posts-per-day']})
  --channels-per-post N   how many channels a post goes to, such as 12 or 30% (default: ${defaults['channels-per-post']})
  --peak N                how many times the average comes in at peak (default: ${defaults.peak})
  --media P               the share of posts with media (default: ${defaults.media}), --album N of them each (default: ${defaults.album})
  --workspaces N          so many workspaces like this one (default: ${defaults.workspaces})

With what:
  --processes N           processes of outrider up (default: ${defaults.processes}), --concurrency N sends at once in each (default: ${defaults.concurrency})
  --answer-ms N           how long a platform takes to answer (default: ${defaults['answer-ms']})
  --endpoints N           endpoints of a workspace (default: ${defaults.endpoints}), --ingress-rps N of each (default: ${defaults['ingress-rps']})
  --cores N               cores of PostgreSQL (default: ${defaults.cores}, as measured), --max-connections N (default: ${defaults['max-connections']})
  --history-days N        how long everything is kept (default: ${defaults['history-days']}), on --disk N GB (default: ${defaults.disk})

${formUsage}`;

export const capacity: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, {
      ...channelOptions,
      ...workloadOptions,
      ...formOptions,
      workspace: text,
    });
    const form = formOf(terminal, values);
    const { workspace } = values;
    const known =
      workspace === undefined
        ? undefined
        : await inWorkspace(terminal, workspace, async ({ client, workspaceId }) =>
            channelsIn(await listChannels(client, { workspaceId })),
          );
    const workload = workloadOf(values, known);
    printCapacity(terminal, form, workload, capacityOf(workload));
    return exitCodes.ok;
  },
};
