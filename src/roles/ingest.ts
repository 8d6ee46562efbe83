// Takes posts in over HTTP, and what people write to bots.

import { botArea } from '../bot/area.ts';
import { createTurns } from '../bot/turns.ts';
import { gatewayApi } from '../gateway/openapi.ts';
import { startIngest, usualLimits } from '../ingest/ingest.ts';
import { previewArea } from '../preview/area.ts';
import { previewApi } from '../preview/openapi.ts';
import { openPayloadKeeper, openPayloadStore } from './payload-keeper.ts';
import type { Role } from './role.ts';
import { openStatus } from './status.ts';
import { wakeOver, wakeReplierOver } from './waking.ts';

/** The most turns of bots at once: they leave connections for posts. */
const turnsAtOnce = 3;

export const ingest = {
  name: 'ingest',
  summary: 'takes posts in over HTTP, and what people write to bots',
  stage: 'intake',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await ground.payloadKeys();
  },
  async start(ground) {
    const { config, log, store, secrets, observing } = ground;
    const client = ground.pools.intake();
    const payloads = await openPayloadKeeper(ground, client);
    const payloadStore = await openPayloadStore(ground);
    const status = await openStatus(ground);
    await ground.heldPort?.release();
    const onReply = wakeReplierOver(client, ground);
    const turns = createTurns({ client, log, atOnce: turnsAtOnce, onReply });
    const server = await startIngest({
      client,
      store,
      fetcher: ground.fetcher(),
      log,
      ...config.http,
      maxUploadBytes: config.media.maxBytes,
      patience: { stopMs: config.drainMs },
      secrets,
      payloads,
      payloadStore,
      claimer: (workspaceId) => ground.dispatcher?.claimer(workspaceId),
      wake: wakeOver(client, ground),
      health: () => ground.health(),
      observer: observing.observer,
      areas: [
        ...observing.areas(() => client),
        botArea({ client, limits: usualLimits, turns }),
        previewArea({ client, secrets, log }),
        status,
        ...(ground.gateway === undefined ? [] : [ground.gateway.area]),
      ],
      documents: [previewApi, ...(ground.gateway === undefined ? [] : [gatewayApi])],
    });
    return {
      ...server,
      async stop() {
        await server.stop();
        await turns.idle();
      },
    };
  },
} as const satisfies Role;
