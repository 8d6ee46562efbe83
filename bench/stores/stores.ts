import type { StoreName } from '../contender.ts';
import { startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { Store } from './store.ts';

/** The servers of a run. Each is started when it is first asked for. */
export class Stores {
  readonly #started = new Map<StoreName, Promise<Store>>();
  #stopped: Promise<void> | undefined;

  get(name: StoreName): Promise<Store> {
    const known = this.#started.get(name);
    if (known !== undefined) return known;
    const started = start(name);
    this.#started.set(name, started);
    return started;
  }

  /** Stops all of them, even if one fails to stop. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const stores = await Promise.allSettled(this.#started.values());
    const running = stores.filter((each) => each.status === 'fulfilled');
    await Promise.allSettled(running.map((each) => each.value.stop()));
  }
}

function start(name: StoreName): Promise<Store> {
  if (name === 'postgres') return startPostgres();
  return name === 'nats' ? startNats() : startRedis(name);
}
