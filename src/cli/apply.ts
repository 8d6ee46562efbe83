import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { applyWorkspace, type Change } from '../db/apply.ts';
import type { Queryable } from '../db/pool.ts';
import { wakeDispatchers } from '../db/wake.ts';
import { OutriderError } from '../errors.ts';
import { type Configuration, readConfiguration } from './apply/read-configuration.ts';
import { type Applied, hasChanges, printApplied } from './apply/report.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { type Ground, onGround } from './ground.ts';
import { printJson } from './table.ts';

const usage = `outrider apply <file> [options]

Makes the configuration of workspaces what a YAML file says: endpoints, credentials, rate groups, templates, channels,
pull sources and settings. It changes only what differs, and says what that is; applied again, it has nothing to change.
docs/configuration.md describes the file, presets/demo.yaml is one. "-" reads standard input.

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
    const text = await textOf(file, terminal);
    const name = file === '-' ? 'standard input' : file;
    const configurations = await readConfiguration(name, text, loadConfig().secrets);
    const work = async ({ client }: Ground): Promise<void> => {
      // Several documents: none is applied unless all of them could be.
      if (!order.dryRun && configurations.length > 1) {
        for (const each of configurations) await applyOne(client, each, { ...order, dryRun: true });
      }
      const done: Applied[] = [];
      for (const each of configurations) {
        const changes = await applyOne(client, each, order);
        const applied = { workspaceId: each.workspaceId, changes, ...order };
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
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'dry-run': flag, prune: flag, json: flag },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (file === undefined) throw new UsageError('name the file to apply');
  if (more.length > 0) throw new UsageError(`one file at a time, not also ${more.join(' ')}`);
  return { file, json: values.json, prune: values.prune, dryRun: values['dry-run'] };
}

async function textOf(file: string, terminal: Terminal): Promise<string> {
  if (file === '-') return terminal.input();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') {
      throw new OutriderError('not_found', `there is no file ${file}`, {
        hint: 'check the path; presets/demo.yaml is a file to start from',
      });
    }
    const why = code === 'EISDIR' ? 'is a folder' : `cannot be read (${String(code)})`;
    throw new OutriderError('invalid_input', `${file} ${why}`, { hint: 'name a YAML file' });
  }
}

async function applyOne(
  client: Queryable,
  { document, retell }: Configuration,
  order: Order,
): Promise<Change[]> {
  try {
    return await applyWorkspace(client, { document, ...order });
  } catch (error) {
    throw retell(error);
  }
}

function asJson(done: readonly Applied[], { dryRun }: Order): object {
  const workspaces = done.map(({ workspaceId, changes }) => ({ workspace: workspaceId, changes }));
  return { dry_run: dryRun, workspaces };
}
