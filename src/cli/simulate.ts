import { writeFile } from 'node:fs/promises';
import { type ShownConfiguration, showConfiguration } from '../db/simulate.ts';
import { InvalidInputError } from '../errors.ts';
import { measuredPlatforms } from '../simulate/durations.ts';
import {
  type ConfigurationChange,
  type Simulation,
  simulate as simulateWorkspace,
} from '../simulate/simulate.ts';
import { summaryOf } from '../simulate/summary.ts';
import { askingOptions, askingUsage } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { readOptions, text, texts } from './given/options.ts';
import { formOf } from './screen/form.ts';
import { type Beside, beside, type RealWorkspace } from './simulate/beside.ts';
import { changeFromFile, changeFromValues, changesUsage } from './simulate/changes.ts';
import {
  type Incoming,
  incoming,
  postsGiven,
  postsInFile,
  postsOptions,
  postsUsage,
  spanGiven,
} from './simulate/posts.ts';
import { printSimulation, type Shown } from './simulate/screen.ts';
import {
  readSendTimes,
  type SendingFacts,
  sendingGiven,
  sendingOf,
  sendingOptions,
  sendingUsage,
} from './simulate/sending.ts';
import { drawn } from './simulate/svg.ts';

const usage = `outrider simulate [FILE] [options]

Says when posts would all be out, which limit holds them up and how deep the queue gets. The functions of the
database run in virtual time, with the channels, limits and posting windows of the workspace, in a scratch database
that is dropped at the end; the workspace itself is only read. With --set or --with it runs twice and compares.
docs/simulate.md says what is imitated. outrider capacity is the quicker answer to "how much a day".

${postsUsage}

${sendingUsage}
  --horizon D        how far to look ahead (default: 30d)

What is tried out:
${changesUsage}

  --svg FILE         also draws the queue over time
${askingUsage}`;

export const simulate: Command = {
  usage,
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, {
      ...postsOptions,
      ...sendingOptions,
      ...askingOptions,
      horizon: text,
      set: texts,
      with: text,
      svg: text,
    });
    const form = formOf(terminal, values);
    const [file, ...more] = positionals;
    if (more.length > 0)
      throw new UsageError(`one file of posts at a time, not also ${more.join(' ')}`);
    const posts = postsGiven(file, values);
    const sending = sendingGiven(values);
    const horizonMs = spanGiven('horizon', values.horizon) ?? 30 * 86_400_000;
    const inFile = await postsInFile(posts.file, terminal);

    const read = async (real: RealWorkspace): Promise<Facts> => ({
      workspaceId: real.workspaceId,
      configuration: await showConfiguration(real.client, real.workspaceId),
      measured: await readSendTimes(real),
      ...(await incoming(real, posts, inFile)),
    });
    const shown = await beside(terminal, values.workspace, read, async (place) => {
      const { facts, config } = place;
      const changes = await changesOf(values, facts, config.secrets, terminal);
      const ran = await simulateBeside(place, changes, {
        ...sendingOf(sending, facts.measured, config),
        horizonMs,
      });
      return shownOf(facts, ran, values);
    });
    if (values.svg !== undefined) await draw(values.svg, shown);
    printSimulation(terminal, form, shown);
    return exitCodes.ok;
  },
};

interface Facts extends Incoming, SendingFacts {
  readonly workspaceId: string;
  readonly configuration: ShownConfiguration;
}

interface ChangesGiven {
  readonly set?: string[] | undefined;
  readonly with?: string | undefined;
}

export async function changesOf(
  given: ChangesGiven,
  { workspaceId, configuration }: Pick<Facts, 'workspaceId' | 'configuration'>,
  secrets: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<ConfigurationChange[]> {
  const changes: ConfigurationChange[] = [];
  if (given.with !== undefined) {
    changes.push(await changeFromFile(given.with, workspaceId, secrets, terminal));
  }
  if (given.set !== undefined) {
    changes.push(changeFromValues(given.set, configuration.document, changes));
  }
  return changes;
}

type Sending = ReturnType<typeof sendingOf> & { readonly horizonMs: number };

/** Simulates in the scratch database, and says how far it is. */
export async function simulateBeside(
  {
    clients,
    tidy,
    facts,
    signal,
    begin,
  }: Beside<Pick<Facts, 'workspaceId' | 'configuration' | 'arrivals' | 'media'>>,
  changes: readonly ConfigurationChange[],
  sending: Sending,
): Promise<Simulation> {
  const { workspaceId, configuration, arrivals, media } = facts;
  begin('simulating');
  return simulateWorkspace({
    clients,
    tidy,
    realName: workspaceId,
    configuration,
    changes,
    arrivals,
    media,
    signal,
    ...sending,
    onProgress: (which, done, known) =>
      begin(
        `simulating ${which}: ${done.toLocaleString('en-US')} of ${known.toLocaleString('en-US')} deliveries`,
      ),
  });
}

function shownOf(facts: Facts, { asItIs, changed }: Simulation, values: ChangesGiven): Shown {
  return {
    workspaceId: facts.workspaceId,
    asItIs: summaryOf(asItIs),
    changed: changed === undefined ? undefined : summaryOf(changed),
    changes: [...(values.with === undefined ? [] : [values.with]), ...(values.set ?? [])],
    notes: notesOf(facts),
  };
}

function notesOf({ configuration, measured }: Facts): string[] {
  const known = measuredPlatforms(measured).map(
    ({ platform, sends, quantilesMs }) =>
      `${platform} ${Math.round(quantilesMs[5] ?? 0)} ms (median of ${sends} sends)`,
  );
  return [
    ...(configuration.status === 'active'
      ? []
      : [`The workspace is ${configuration.status}; it was simulated as if it were active.`]),
    ...(known.length === 0 ? [] : [`How long calls take was measured here: ${known.join(', ')}.`]),
  ];
}

async function draw(file: string, { workspaceId, asItIs, changed }: Shown): Promise<void> {
  const runs = [
    { name: 'as it is', summary: asItIs },
    ...(changed === undefined ? [] : [{ name: 'with the changes', summary: changed }]),
  ];
  try {
    await writeFile(file, drawn(`${workspaceId}: ${asItIs.deliveries.made} deliveries`, runs));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new InvalidInputError(`${file} cannot be written (${code})`, {
      hint: 'name a file in a folder that is there',
    });
  }
}
