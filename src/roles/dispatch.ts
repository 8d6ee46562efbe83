// Sends what is due.

import { createDeliver } from '../dispatch/deliver.ts';
import { startDispatcher } from '../dispatch/dispatcher.ts';
import { watchLag } from '../dispatch/lag.ts';
import { openPayloadKeeper } from './payload-keeper.ts';
import type { Role } from './role.ts';

export const dispatch = {
  name: 'dispatch',
  summary: 'sends what is due',
  stage: 'sending',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await Promise.all([ground.adapters(), ground.payloadKeys()]);
  },
  async start(ground) {
    const { config, database, log, clock, secrets, store, pools, intervals } = ground;
    const client = pools.outcomes();
    const deliver = createDeliver({
      client,
      adapters: await ground.adapters(),
      secrets,
      store,
      payloads: await openPayloadKeeper(ground, pools.claims()),
    });
    const dispatcher = startDispatcher({
      client: pools.claims(),
      reserve: client,
      deliver: ground.around(deliver),
      log,
      clock,
      concurrency: config.concurrency,
      claimAhead: config.claimAhead,
      drainMs: config.drainMs,
      pollMs: intervals.pollMs,
      observer: ground.observing.observer,
    });
    const listener = ground.listen({
      url: database.serviceUrl,
      applicationName: 'outrider listen',
      onWake: () => void dispatcher.wake(),
      onLost: (error) => log.warn('cannot listen for new work; polling', { error: error.message }),
    });
    const lagHealth = watchLag({ client: pools.claims(), clock });
    ground.dispatcher = dispatcher;
    return {
      name: dispatcher.name,
      health() {
        const health = dispatcher.health();
        return health.ok ? lagHealth() : health;
      },
      async stop() {
        try {
          await Promise.all([dispatcher.stop(), listener.stop()]);
        } finally {
          ground.dispatcher = undefined;
        }
      },
    };
  },
} as const satisfies Role;
