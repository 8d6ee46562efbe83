// Somebody who posts and does not give up: a post is repeated under its `source_ref` until it is accepted.

import { setTimeout as delay } from 'node:timers/promises';

export interface Poster {
  /** The texts that were answered with success. */
  readonly accepted: readonly string[];
  /** Finishes the post under way, and posts no more. */
  stop(): Promise<void>;
}

export interface PosterOptions {
  readonly url: string;
  readonly workspaceId: string;
  readonly secret: string;
  readonly everyMs: number;
}

export function startPoster(options: PosterOptions): Poster {
  const accepted: string[] = [];
  let isStopping = false;

  async function run(): Promise<void> {
    for (let n = 1; !isStopping; n += 1) {
      const text = `${options.workspaceId} post ${n}`;
      while (!(await isAccepted(options, text, n))) await delay(200);
      accepted.push(text);
      await delay(options.everyMs);
    }
  }

  const running = run();
  return {
    accepted,
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

async function isAccepted(
  { url, workspaceId, secret }: PosterOptions,
  text: string,
  n: number,
): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text, source_ref: `${workspaceId}/${n}` }),
      signal: AbortSignal.timeout(15_000),
    });
    await response.body?.cancel();
    // A repeat of what was accepted while its answer was lost is dropped with 200.
    return response.ok;
  } catch {
    return false; // the process or its database is away
  }
}
