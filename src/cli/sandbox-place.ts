// Where a sandbox is and what it takes for tokens: for the process that it runs in, and for the commands beside it.
// `up --sandbox` leaves a note in the data folder, which counts for as long as its writer lives and its sandbox answers.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { simulated } from '../../sandbox/platforms.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import type { Config } from '../config.ts';
import { OutriderError } from '../errors.ts';

/** The secret of the demo workspace's endpoint; it opens nothing else. */
export const demoSecret = 'demo-secret';

/** What the demo workspace's references to secrets mean. */
const demoSecrets: Readonly<Record<string, string>> = {
  ...Object.fromEntries(simulated.map(({ demo }) => [demo.tokenVariable, demo.token])),
  OUTRIDER_DEMO_SECRET: demoSecret,
};

// Secrets are sent there: nowhere but to this machine.
const address = z.string().regex(/^http:\/\/127\.0\.0\.1:\d+$/);
const SandboxPlace = z.object({
  pid: z.int().positive(),
  /** By platform. */
  apiUrls: z.record(z.string(), address),
  control: address,
});
export type SandboxPlace = z.output<typeof SandboxPlace>;

/** The place of a sandbox of this process. */
export function placeOf({ apiUrls, controlUrl: control }: Sandbox): SandboxPlace {
  return { pid: process.pid, apiUrls, control };
}

/** The configuration with the sandbox's addresses and tokens. */
export function pointedAt({ apiUrls }: SandboxPlace, config: Config): Config {
  return { ...config, apiUrls, secrets: { ...config.secrets, ...demoSecrets } };
}

/** The sandbox of the `up --sandbox` that runs on the data folder; undefined: none does. */
export async function runningSandbox({ dataDir }: Config): Promise<SandboxPlace | undefined> {
  const text = await readFile(noteIn(dataDir), 'utf8').catch(() => '');
  const place = readNote(text);
  if (place === undefined || !isAlive(place.pid)) return undefined;
  // Of a process that has died, number and port may be somebody else's; hardly ever both.
  const isThere = await fetch(`${place.control}/clock`, { signal: AbortSignal.timeout(2000) }).then(
    (answer) => answer.ok,
    () => false,
  );
  return isThere ? place : undefined;
}

/** Two of them would claim from one database, so that a post is shown here or there as it happens. */
export async function refuseSecondSandbox(config: Config): Promise<void> {
  const other = await runningSandbox(config);
  if (other === undefined) return;
  throw new OutriderError(
    'configuration',
    `outrider up --sandbox runs on ${config.dataDir} already (process ${other.pid}); its chats are at ${other.control}/`,
    { hint: 'use that one or stop it; OUTRIDER_DATA_DIR names another data folder for a second' },
  );
}

/** Lets other commands find the sandbox; what it answers with takes the note away. */
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
