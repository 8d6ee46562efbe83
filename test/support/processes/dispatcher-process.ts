// The program of a dispatcher in a process of its own: it takes its setting as JSON on the command line,
// says when it runs, and stops when its parent closes its input.

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
