// n8n as a process: brings the workflows in, publishes them, starts, and is stopped.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { credentialsFor, type Secrets } from './credentials.ts';
import { environmentOf, type N8nPlace } from './settings.ts';
import { guardedPaths, workflowIds, workflowsFolder } from './workflow-files.ts';

export interface N8nOptions extends N8nPlace {
  /** The program that `installedN8n` names. */
  readonly program: string;
  /** Ids of workflows that were taken out of service: n8n need not answer for them. */
  readonly unpublished?: readonly string[] | undefined;
}

export interface RunningN8n {
  readonly url: string;
  readonly process: ChildProcess;
  /** Lets the runs under way end. */
  stop(): Promise<void>;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** Brings the credentials in; what has the same id is replaced. */
export async function importCredentials(options: N8nOptions, secrets: Secrets): Promise<void> {
  await mkdir(options.folder, { recursive: true });
  const file = path.join(options.folder, 'credentials.json');
  try {
    await writeFile(file, JSON.stringify(credentialsFor(secrets)), { mode: 0o600 });
    await command(options, 'import:credentials', `--input=${file}`);
  } finally {
    await rm(file, { force: true });
  }
}

/** Brings the workflows in and publishes them, those first that others call. */
export async function importWorkflows(options: N8nOptions): Promise<void> {
  await command(options, 'import:workflow', '--separate', `--input=${workflowsFolder}`);
  for (const id of await workflowIds()) await command(options, 'publish:workflow', `--id=${id}`);
}

/** Takes a workflow out of service; n8n must not run yet. */
export async function unpublishWorkflow(options: N8nOptions, id: string): Promise<void> {
  await command(options, 'unpublish:workflow', `--id=${id}`);
}

async function command(options: N8nOptions, ...args: string[]): Promise<void> {
  const said: string[] = [];
  const child = launch(options, args, (line) => said.push(line));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`n8n ${args.join(' ')} failed:\n${said.join('\n')}`);
}

function launch(
  { program, ...place }: N8nOptions,
  args: readonly string[],
  say: (line: string) => void,
): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], HOME: place.folder, ...environmentOf(place) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      for (const line of data.toString().split('\n')) if (line !== '') say(line);
    });
  }
  return child;
}

/** Resolves when every webhook answers: n8n is ready some seconds before that. */
export async function startN8n(options: N8nOptions): Promise<RunningN8n> {
  const last: string[] = [];
  const child = launch(options, ['start'], (line) => {
    last.push(line);
    if (last.length > 40) last.shift();
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${options.port}`;
  const over = new AbortController();
  void ended.then(() => over.abort());
  try {
    for (const hook of await guardedPaths(options.unpublished)) {
      await untilAnswers(`${url}/webhook/${hook}`, over.signal);
    }
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`n8n does not run:\n${last.join('\n')}`, { cause: error });
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return { url, process: child, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

const patienceMs = 180_000;

async function untilAnswers(address: string, over: AbortSignal): Promise<void> {
  const lateAt = performance.now() + patienceMs;
  for (;;) {
    over.throwIfAborted();
    const answer = await fetch(address, { method: 'POST' }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 403) return;
    if (performance.now() > lateAt) throw new Error(`${address} answers with ${answer?.status}`);
    await delay(200, undefined, { signal: over });
  }
}
