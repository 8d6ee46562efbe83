import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { PullerOptions } from './puller-orders.ts';

const program = fileURLToPath(new URL('./puller-process.ts', import.meta.url));
// Node's cache of compiled sources. A process that dies soon spends most of its time on loading them.
const cache = fileURLToPath(
  new URL('../../../node_modules/.cache/puller-process', import.meta.url),
);

/** Runs a puller until it ends; answers with the signal that ended it, or its exit code. */
export async function runPuller(options: PullerOptions): Promise<string | number> {
  const env = { ...process.env, NODE_COMPILE_CACHE: cache };
  const child = fork(program, [JSON.stringify(options)], { execArgv: [], env });
  const [code, signal] = z
    .tuple([z.number().nullable(), z.string().nullable()])
    .parse(await once(child, 'exit'));
  return signal ?? code ?? '';
}
