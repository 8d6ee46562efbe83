import { setTimeout as delay } from 'node:timers/promises';
import { post } from '../post.ts';
import { machineMicros } from '../provider/protocol.ts';
import type { Provider } from '../provider/provider.ts';
import type { Pusher } from './way.ts';

const longestWaitMs = 10_000;
let pushed = 0;

/** Pushes posts one after the other, each after a pause. Returns the milliseconds from each push to its arrival. */
export async function pushMany(
  pusher: Pusher,
  provider: Provider,
  count: number,
  pauseMs: () => number,
): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const { arrival } = await provider.watch();
    await delay(pauseMs());
    pushed += 1;
    const next = post(pushed);
    const startedAt = machineMicros();
    const push = pusher.push(next);
    const { body, at } = await Promise.race([arrival, missing(push)]);
    if (!body.includes(next.title)) throw new Error(`another post arrived: ${body}`);
    found.push((at - startedAt) / 1000);
    await push;
  }
  return found;
}

/** Rejects when the push fails, or when nothing has arrived for too long. */
async function missing(push: Promise<void>): Promise<never> {
  await push;
  await delay(longestWaitMs, undefined, { ref: false });
  throw new Error(`no post arrived within ${longestWaitMs} ms`);
}
