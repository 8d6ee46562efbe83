// The program of a dispatcher that runs as a separate process. It takes its setting as JSON on the command line, prints
// `running` when it runs and the lines that its log warns with, and stops when its standard input ends.

import { z } from 'zod';
import { createLog } from '../../../src/log.ts';
import { runDispatcher } from './running-dispatcher.ts';

const Setting = z.object({
  url: z.string(),
  providers: z.object({ telegram: z.string(), max: z.string(), vk: z.string() }),
  concurrency: z.number(),
});

const log = createLog({
  level: 'warn',
  pretty: false,
  write: (line) => void process.stdout.write(line),
});
const setting = Setting.parse(JSON.parse(process.argv[2] ?? ''));
const running = await runDispatcher({ ...setting, log });
process.stdin.once('end', () => void running.stop());
process.stdin.resume();
console.log('running');
