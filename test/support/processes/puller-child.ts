import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { compiledSources } from './compiled-sources.ts';
import type { PullerOptions } from './puller-orders.ts';

const program = fileURLToPath(new URL('./puller-process.ts', import.meta.url));

/** Runs a puller until it ends; answers with the signal that ended it, or its exit code. */
export async function runPuller(options: PullerOptions): Promise<string | number> {
  const env = { ...process.env, ...compiledSources };
  const child = fork(program, [JSON.stringify(options)], { execArgv: [], env });
  const [code, signal] = z
    .tuple([z.number().nullable(), z.string().nullable()])
    .parse(await once(child, 'exit'));
  return signal ?? code ?? '';
}
