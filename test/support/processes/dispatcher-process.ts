// The program of a dispatcher that runs as a separate process. It takes its setting as JSON on the command line, prints
// `running` when it runs, and stops when its standard input ends.

import { z } from 'zod';
import { runDispatcher } from './running-dispatcher.ts';

const Setting = z.object({
  url: z.string(),
  providers: z.object({ telegram: z.string(), max: z.string(), vk: z.string() }),
  concurrency: z.number(),
});

const running = await runDispatcher(Setting.parse(JSON.parse(process.argv[2] ?? '')));
process.stdin.once('end', () => void running.stop());
process.stdin.resume();
console.log('running');
