// A process that uses the embedded server, for tests of what happens between processes:
//   node server-user-process.ts '<ServerOptions as JSON>'
// It prints one line about the server that it got, and ends when its standard input ends.

import { z } from 'zod';
import { startServer } from '../../../src/db/embedded/server.ts';

const options = z
  .object({
    dataDir: z.string(),
    binDir: z.string().optional(),
    initdbFlags: z.array(z.string()).optional(),
    settings: z.record(z.string(), z.string()).optional(),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));

const server = await startServer(options);
console.log(JSON.stringify({ port: server.port, startedHere: server.startedHere }));
for await (const _ of process.stdin);
await server.stop();
