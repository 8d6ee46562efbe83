// The addresses and tokens of a sandbox, for the process that it runs in and for the commands beside it.
// `up --sandbox` leaves a note in the data folder. It counts as long as its writer lives and its sandbox answers.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { simulated } from '../../sandbox/platforms.ts';
import type { Sandbox } from '../../sandbox/start.ts';
import type { Config } from '../config.ts';
import { OutriderError } from '../errors.ts';
import { isLoopback } from '../roles/status.ts';
import type { Terminal } from './command.ts';

/** The secret of the demo workspace's endpoint; it opens nothing else. */
export const demoSecret = 'demo-secret';

/** The values of the demo workspace's secret references. */
const demoSecrets: Readonly<Record<string, string>> = {
  ...Object.fromEntries(simulated.map(({ demo }) => [demo.tokenVariable, demo.token])),
  OUTRIDER_DEMO_SECRET: demoSecret,
};

// Secrets are sent to these addresses, so only this machine is allowed.
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

/**
 * The configuration with the sandbox's addresses and tokens. Its photos may be fetched from it. The status page is open to
 * this machine, unless the configuration says who may see it.
 */
export function pointedAt({ apiUrls, control }: SandboxPlace, config: Config): Config {
  const hosts = [...Object.values(apiUrls), control].map((url) => new URL(url).host);
  const media = { ...config.media, privateHosts: [...config.media.privateHosts, ...hosts] };
  const { tokenRef, proxies, isOpen } = config.status;
  const isUnsaid = tokenRef === undefined && proxies.length === 0;
  const status = { ...config.status, isOpen: isOpen || (isUnsaid && isLoopback(config.http.host)) };
  return { ...config, apiUrls, media, status, secrets: { ...config.secrets, ...demoSecrets } };
}

/** With the addresses and tokens of the sandbox, if one runs here: the services beside it use them. */
export async function configOfServices(
  config: Config,
  terminal: Pick<Terminal, 'err'>,
): Promise<Config> {
  const sandbox = await runningSandbox(config);
  if (sandbox === undefined) return config;
  terminal.err('outrider up --sandbox runs here: its simulators are asked, not the platforms');
  return pointedAt(sandbox, config);
}

/** The sandbox of the `up --sandbox` that runs on the data folder; undefined when none does. */
export async function runningSandbox({ dataDir }: Config): Promise<SandboxPlace | undefined> {
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
