import { type ShownConfiguration, showConfiguration } from '../db/simulate.ts';
import { compare } from '../simulate/differences.ts';
import { askingOptions, askingUsage, limitOf } from './asking.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { readOptions, text, texts } from './given/options.ts';
import { printReplay } from './replay/screen.ts';
import { formOf } from './screen/form.ts';
import { beside, type RealWorkspace } from './simulate/beside.ts';
import { changesUsage } from './simulate/changes.ts';
import { type Incoming, incoming, postsGiven } from './simulate/posts.ts';
import { sendingGiven, sendingOf } from './simulate/sending.ts';
import { changesOf, simulateBeside } from './simulate.ts';

const usage = `outrider replay [FILE] [options]

Takes recorded posts once more, at the times at which they came, through the configuration as it is and through a
changed one, and says which deliveries would be added, lost, suppressed as repeats, refused or rendered differently.
Both run in virtual time in a scratch database that is dropped at the end; the workspace itself is only read. FILE is
a configuration file as outrider apply takes it.
Exit code 0: no delivery would be different; 3: some would; 1: it could not be found out.

  --since T          posts since then, such as 7d or 2026-03-02T18:00; --until T
  --recent N         or the latest N (default: 100)
  --limit N          how many differences are shown (default: 50); --json has all
${changesUsage}

${askingUsage}`;

interface Facts extends Incoming {
  readonly workspaceId: string;
  readonly configuration: ShownConfiguration;
}

export const replay: Command = {
  usage,
  async run(args, terminal) {
    const { values, positionals } = readOptions(args, {
      ...askingOptions,
      since: text,
      until: text,
      recent: text,
      limit: text,
      set: texts,
      with: text,
    });
    const form = formOf(terminal, values);
    const [given, ...more] = positionals;
    if (more.length > 0) throw new UsageError(`one file at a time, not also ${more.join(' ')}`);
    if (given !== undefined && values.with !== undefined) {
      throw new UsageError('give one configuration file, either as FILE or with --with');
    }
    const file = given ?? values.with;
    if (file === undefined && values.set === undefined) {
      throw new UsageError(
        'what is to be changed? name a configuration file, or give values with --set',
      );
    }
    const limit = limitOf(values.limit ?? '50');
    const posts = postsGiven(undefined, values);
    const change = { set: values.set, with: file };

    const read = async (real: RealWorkspace): Promise<Facts> => ({
      workspaceId: real.workspaceId,
      configuration: await showConfiguration(real.client, real.workspaceId),
      ...(await incoming(real, posts, undefined)),
    });
    const replayed = await beside(terminal, values.workspace, read, async (place) => {
      const { facts, config } = place;
      const changes = await changesOf(change, facts, config.secrets, terminal);
      const sending = sendingOf(sendingGiven({}), [], config);
      const { asItIs, changed } = await simulateBeside(place, changes, {
        ...sending,
        horizonMs: horizonOf(facts),
      });
      return {
        workspaceId: facts.workspaceId,
        arrivals: facts.arrivals,
        comparison: compare(asItIs, changed ?? asItIs),
        changes: [...(file === undefined ? [] : [file]), ...(values.set ?? [])],
      };
    });
    printReplay(terminal, form, limit, replayed);
    return replayed.comparison.differences.length === 0 ? exitCodes.ok : exitCodes.differs;
  },
};

/** A month after the last post: what waits for longer is compared by its verdict alone. */
function horizonOf({ arrivals }: Facts): number {
  const [first, last] = [arrivals[0]?.at ?? 0, arrivals.at(-1)?.at ?? 0];
  return last - first + 30 * 86_400_000;
}
