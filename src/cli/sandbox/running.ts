// Whether a sandbox runs here, for the commands beside it. `up --sandbox` leaves a note in the data folder. It counts as
// long as its writer lives and its sandbox answers.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { OutriderError } from '../../errors.ts';
import { isAlive } from '../../is-alive.ts';
import type { Terminal } from '../command.ts';

// Secrets are sent to these addresses, so only this machine is allowed.
const address = z.string().regex(/^http:\/\/127\.0\.0\.1:\d+$/);
const SandboxPlace = z.object({
  pid: z.int().positive(),
  /** By platform. */
  apiUrls: z.record(z.string(), address),
  control: address,
});
export type SandboxPlace = z.output<typeof SandboxPlace>;

/** With the addresses and tokens of the sandbox, if one runs here: the services beside it use them. */
export async function configOfServices(
  config: Config,
  terminal: Pick<Terminal, 'err'>,
): Promise<Config> {
  const pointed = await configOfSandbox(config);
  if (pointed === undefined) return config;
  terminal.err('outrider up --sandbox runs here: its simulators are asked, not the platforms');
  return pointed;
}

/** With the addresses and tokens of the sandbox that runs here; undefined when none does. */
export async function configOfSandbox(config: Config): Promise<Config | undefined> {
  const sandbox = await runningSandbox(config);
  if (sandbox === undefined) return undefined;
  // Not before there is one: it knows the simulators of all platforms.
  const { pointedAt } = await import('./place.ts');
  return pointedAt(sandbox, config);
}

/** The sandbox of the `up --sandbox` that runs on the data folder; undefined when none does. */
async function runningSandbox({ dataDir }: Config): Promise<SandboxPlace | undefined> {
  const text = await readFile(noteIn(dataDir), 'utf8').catch(() => '');
  const place = readNote(text);
  if (place === undefined || !isAlive(place.pid)) return undefined;
  // The number and the port of a process that has died may each be another's now; hardly ever both.
  const isThere = await fetch(`${place.control}/clock`, { signal: AbortSignal.timeout(2000) }).then(
    (answer) => answer.ok,
    () => false,
  );
  return isThere ? place : undefined;
}

/** Throws if one runs: two would claim from one database, and chance would decide which of them shows a post. */
export async function refuseSecondSandbox(config: Config): Promise<void> {
  const other = await runningSandbox(config);
  if (other === undefined) return;
  throw new OutriderError(
    'configuration',
    `outrider up --sandbox runs on ${config.dataDir} already (process ${other.pid}); its chats are at ${other.control}/`,
    { hint: 'use that one or stop it; OUTRIDER_DATA_DIR names another data folder for a second' },
  );
}

/** Lets other commands find the sandbox, by a note; the function that it returns removes the note. */
export async function noteSandbox(
  config: Config,
  place: SandboxPlace,
  report: (line: string) => void,
): Promise<() => Promise<void>> {
  await refuseSecondSandbox(config);
  const note = noteIn(config.dataDir);
  try {
    await mkdir(config.dataDir, { recursive: true });
    await writeFile(note, `${JSON.stringify(place)}\n`);
  } catch {
    report(`${note} cannot be written: other commands will not find this sandbox`);
  }
  return () => rm(note, { force: true });
}

function noteIn(dataDir: string): string {
  return path.join(dataDir, 'sandbox.json');
}

function readNote(text: string): SandboxPlace | undefined {
  try {
    return SandboxPlace.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
