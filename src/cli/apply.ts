import { loadConfig } from '../config.ts';
import { applyWorkspace, type Change } from '../db/apply.ts';
import { wakeDispatchers } from '../db/dispatch.ts';
import type { Queryable } from '../db/pool.ts';
import type { OutriderError } from '../errors.ts';
import {
  type Configuration,
  documentHint,
  type ExaminedFile,
  examineConfiguration,
  hintFor,
  type MeaningFault,
} from './apply/read-configuration.ts';
import { type Applied, hasChanges, printApplied } from './apply/report.ts';
import { type Command, exitCodes, Interrupted, type Terminal, UsageError } from './command.ts';
import { nameOf, textOf } from './given/file.ts';
import { flag, readOptions } from './given/options.ts';
import { type CommandGround, onGround } from './ground.ts';
import { printJson } from './screen/table.ts';
import { whileWaiting } from './screen/waiting.ts';

const usage = `outrider apply <file> [options]

Brings the configuration of workspaces to what a YAML file says: endpoints, credentials, rate groups, templates,
channels, pull sources, alert targets, rules of bots and settings. It changes only what differs, and says what that is;
the same file applied again changes nothing. docs/configuration.md describes the file, presets/demo.yaml is one. "-"
reads standard input.

  --dry-run   say what would change, and change nothing
  --prune     remove what the file does not list, in the sections that it has
  --json      the changes as one JSON document`;

interface Order {
  readonly prune: boolean;
  readonly dryRun: boolean;
}

export const apply: Command = {
  usage,
  async run(args, terminal) {
    const { file, json, ...order } = parse(args);
    const text = await textOf(file, terminal, 'presets/demo.yaml');
    const examined = await examineConfiguration(nameOf(file), text, loadConfig().secrets);
    if (examined.faults.length > 0) throw await refusalOf(examined, order, terminal);
    const work = async ({ client }: CommandGround): Promise<void> => {
      // Several documents: none is applied unless all of them could be.
      if (!order.dryRun && examined.configurations.length > 1) {
        requireSound(examined, await tryAll(client, examined, { ...order, dryRun: true }));
      }
      const all = tryAll(client, examined, order);
      const { tried, faults } = await whileWaiting(terminal, 'applying the file', all);
      requireSound(examined, { faults });
      const done: Applied[] = [];
      for (const { configuration, changes: plain } of tried) {
        const changes = withWarnings(configuration, plain);
        const applied = { workspaceId: configuration.workspaceId, changes, ...order };
        if (!json) printApplied(terminal, applied);
        done.push(applied);
      }
      if (json) printJson(terminal, asJson(done, order));
      if (!order.dryRun && done.some((each) => hasChanges(each.changes))) {
        await wakeDispatchers(client);
      }
    };
    await onGround(terminal, work, 'if_needed');
    return exitCodes.ok;
  },
};

function parse(args: readonly string[]): Order & { file: string; json: boolean } {
  const options = { 'dry-run': flag, prune: flag, json: flag };
  const { values, positionals } = readOptions(args, options);
  const [file, ...more] = positionals;
  if (file === undefined) throw new UsageError('name the file to apply');
  if (more.length > 0) throw new UsageError(`one file at a time, not also ${more.join(' ')}`);
  return { file, json: values.json, prune: values.prune, dryRun: values['dry-run'] };
}

interface Tried {
  readonly tried: readonly { configuration: Configuration; changes: readonly Change[] }[];
  readonly faults: readonly MeaningFault[];
}

/** Applies each document of a file, and gathers what the database refuses. */
async function tryAll(
  client: Queryable,
  { configurations }: ExaminedFile,
  order: Order,
): Promise<Tried> {
  const tried: { configuration: Configuration; changes: Change[] }[] = [];
  const faults: MeaningFault[] = [];
  for (const configuration of configurations) {
    const { document, faultsIn } = configuration;
    try {
      const changes = await applyWorkspace(client, { document, ...order });
      tried.push({ configuration, changes });
    } catch (error) {
      faults.push(...faultsIn(error));
    }
  }
  return { tried, faults };
}

function requireSound({ refusal }: ExaminedFile, { faults }: Pick<Tried, 'faults'>): void {
  const [first, ...more] = faults;
  if (first === undefined) return;
  throw refusal(faults, (more.length === 0 ? first.hint : undefined) ?? documentHint);
}

/** All that is wrong with a file that has faults of form; only those when no database can be asked for the others. */
async function refusalOf(
  examined: ExaminedFile,
  order: Order,
  terminal: Terminal,
): Promise<OutriderError> {
  const { faults, refusal } = examined;
  try {
    const found = await onGround(terminal, ({ client }) =>
      tryAll(client, examined, { ...order, dryRun: true }),
    );
    const hint = found.faults.length === 0 ? hintFor(faults) : documentHint;
    return refusal([...faults, ...found.faults], hint);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return refusal(faults, hintFor(faults));
  }
}

/** The changes, together with the warnings about the file itself. */
function withWarnings({ warnings }: Configuration, changes: readonly Change[]): Change[] {
  return changes.map((change) => {
    const more = warnings.filter(({ kind, id }) => kind === change.kind && id === change.id);
    if (more.length === 0) return change;
    const messages = more.map((each) => each.message);
    return { ...change, warnings: [...(change.warnings ?? []), ...messages] };
  });
}

function asJson(done: readonly Applied[], { dryRun }: Order): object {
  const workspaces = done.map(({ workspaceId, changes }) => ({ workspace: workspaceId, changes }));
  return { dry_run: dryRun, workspaces };
}
