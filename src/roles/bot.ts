// Answers what people write to bots.

import { startLeftovers } from '../bot/leftovers.ts';
import { startReplier } from '../bot/replier.ts';
import { createSendReply } from '../bot/send-reply.ts';
import { createTurns } from '../bot/turns.ts';
import { observedReply } from './observed-sends.ts';
import type { Role } from './role.ts';

/** The most turns at once, of those that other processes have left. */
const turnsAtOnce = 2;

export const bot = {
  name: 'bot',
  summary: 'answers what people write to bots',
  stage: 'sending',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await ground.adapters();
  },
  async start(ground) {
    const { config, database, log, clock, secrets, pools, intervals } = ground;
    const client = pools.claims();
    const adapters = await ground.adapters();
    const sendReply = createSendReply({ client: pools.outcomes(), adapters, secrets, log });
    const replier = startReplier({
      client,
      reserve: pools.outcomes(),
      sendReply: observedReply(ground.aroundReply(sendReply), ground.observing.observer),
      log,
      clock,
      concurrency: config.concurrency,
      drainMs: config.drainMs,
      pollMs: intervals.pollMs,
    });
    const turns = createTurns({
      client,
      log,
      atOnce: turnsAtOnce,
      onReply: () => void replier.wake(),
    });
    const leftovers = startLeftovers({
      client,
      log,
      clock,
      turns,
      everyMs: intervals.recoverEveryMs,
    });
    const listener = ground.listen({
      url: database.serviceUrl,
      applicationName: 'outrider listen bot',
      onWake: () => void replier.wake(),
      onLost: (error) => log.warn('cannot listen for replies; polling', { error: error.message }),
    });
    ground.replier = replier;
    return {
      name: replier.name,
      health() {
        const health = replier.health();
        if (!health.ok || leftovers.failures() < 3) return health;
        return { ok: false, reason: 'cannot look for updates without a turn' };
      },
      async stop() {
        try {
          await leftovers.stop();
          await Promise.all([replier.stop(), listener.stop()]);
        } finally {
          ground.replier = undefined;
        }
      },
    };
  },
} as const satisfies Role;
