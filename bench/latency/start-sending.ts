import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export interface Sending {
  /** Where it takes posts in, if it does so itself. */
  readonly url: string | undefined;
  stop(): Promise<void>;
}

const Ready = z.object({ url: z.string().optional() });

/** Starts the process that sends, and waits until it is ready. */
export async function startSending(
  kind: string,
  storeUrl: string,
  providerUrl: string,
): Promise<Sending> {
  const script = fileURLToPath(new URL('sending-process.ts', import.meta.url));
  const child = fork(script, [kind, storeUrl, providerUrl]);
  const failed = once(child, 'exit').then(() => {
    throw new Error(`the process that sends for ${kind} has ended`);
  });
  const said: unknown[] = await Promise.race([once(child, 'message'), failed]);
  const { url } = Ready.parse(said[0]);
  return {
    url,
    async stop() {
      child.disconnect();
      await failed.catch(() => undefined);
    },
  };
}
