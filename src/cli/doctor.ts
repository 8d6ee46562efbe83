// Looks whether anything is wrong with an installation, and says what to do about it.

import { loadConfig } from '../config.ts';
import { listWorkspaces } from '../db/inspect.ts';
import { checks } from '../doctor/checks.ts';
import { examine, type Gathered, type Report } from '../doctor/examine.ts';
import { gather, type Means } from '../doctor/gather.ts';
import { NotFoundError } from '../errors.ts';
import type { Command, Terminal } from './command.ts';
import { openForLook, openMeans } from './doctor/means.ts';
import { exitCodeOf, type LookedAt, printReport } from './doctor/view.ts';
import { nearest, thereAre } from './given/nearest.ts';
import { readOptionsOnly, text } from './given/options.ts';
import { orInterrupted, untilStopped } from './ground.ts';
import { configOfServices } from './sandbox/running.ts';
import { formOf, formOptions, formUsage } from './screen/form.ts';
import { throughStages } from './screen/waiting.ts';

const usage = `outrider doctor [options]

Looks at the database, this machine, the services, and for every workspace at its credentials, channels, sources, alert
targets and bots. Prints what is wrong, where, and what to do about it; docs/doctor.md lists the checks. It changes
nothing. It writes one object to the media store, and removes it again; its calls to the platforms take slots of their
rate groups, as all calls do. Run it with the environment of the services: secrets are read from there. While outrider
up --sandbox runs on the same data folder, its simulators are asked. Exit code 1: something was found that is critical,
or a warning; hints (info) alone end with 0.

  --workspace W   looks at this workspace only (default: at all of them)
${formUsage}`;

const options = { workspace: text, ...formOptions } as const;

export const doctor: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, options);
    const form = formOf(terminal, values);
    const { report, lookedAt } = await examined(terminal, values.workspace);
    printReport(terminal, report, lookedAt, form);
    return exitCodeOf(report);
  },
};

async function examined(
  terminal: Terminal,
  workspace: string | undefined,
): Promise<{ report: Report; lookedAt: LookedAt }> {
  const config = await configOfServices(loadConfig(), terminal);
  const work = async (signal: AbortSignal, begin: (what: string) => void) => {
    const looking = { config, terminal, begin, signal };
    await using opened = await openMeans(looking, await openForLook(looking));
    const { means } = opened;
    const gathered = await gather(means, await workspacesOf(means, workspace));
    begin('looking at this machine');
    return { report: await examine(checks, gathered), lookedAt: countOf(gathered) };
  };
  return untilStopped(terminal, (signal) =>
    orInterrupted(
      signal,
      throughStages(terminal, (begin) => work(signal, begin)),
    ),
  );
}

async function workspacesOf({ client }: Means, named: string | undefined): Promise<string[]> {
  if (client === undefined) return [];
  const ids = (await listWorkspaces(client)).map((each) => each.workspaceId);
  if (named === undefined) return ids;
  if (ids.includes(named)) return [named];
  const meant = nearest(named, ids);
  const list = ids.length === 0 ? 'there is none yet' : thereAre(ids);
  throw new NotFoundError(`there is no workspace "${named}"`, {
    hint: meant === undefined ? list : `did you mean ${meant}?`,
  });
}

export function countOf({ platforms }: Gathered): LookedAt {
  const workspaces = platforms?.workspaces ?? [];
  const sum = (count: (workspace: (typeof workspaces)[number]) => number): number =>
    workspaces.reduce((total, each) => total + count(each), 0);
  return {
    workspaces: workspaces.length,
    credentials: sum(({ credentials }) => credentials.length),
    channels: sum(({ channels }) => channels.length),
    sources: sum(({ sources }) => sources.length),
    alertTargets: sum(({ alertTargets }) => alertTargets.length),
  };
}
