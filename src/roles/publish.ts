// Carries events from the outbox to a broker. It needs only the database and a broker, and knows nothing of deliveries.

import type { BatchOptions } from '../outbox/publish-batch.ts';
import { startPublisher } from '../outbox/publisher.ts';
import type { Ground } from './ground.ts';
import { observedBroker } from './observed-sends.ts';
import type { Role } from './role.ts';

export const publish = {
  name: 'publish',
  summary: 'carries events from the outbox to the broker',
  stage: 'beside',
  worksAs: 'outrider_publisher',
  async prepare(ground) {
    await ground.broker();
  },
  async start(ground) {
    const { config, database, log } = ground;
    const publisher = startPublisher({
      ...(await batchOf(ground)),
      pollMs: config.outbox.pollMs,
      drainMs: config.drainMs,
    });
    const listener = ground.listen({
      url: database.serviceUrl,
      applicationName: 'outrider publish listen',
      channel: 'outrider_outbox',
      onWake: () => publisher.wake(),
      onLost: (error) => log.warn('cannot listen for events; polling', { error: error.message }),
    });
    return {
      name: publisher.name,
      health: () => publisher.health(),
      async stop() {
        log.info('stopping: finishing the batch under way');
        await Promise.all([publisher.stop(), listener.stop()]);
      },
    };
  },
} as const satisfies Role;

/** What a batch of events needs. */
export async function batchOf(ground: Ground): Promise<BatchOptions> {
  const { batchSize, maxAttempts, order } = ground.config.outbox;
  const pool = ground.pools.publish();
  const broker = observedBroker(await ground.broker(), ground.observing.observer);
  return { pool, broker, log: ground.log, batchSize, maxAttempts, order };
}
