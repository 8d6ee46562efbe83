// Takes posts in over HTTP.

import { startIngest } from '../ingest/ingest.ts';
import { openPayloadKeeper, openPayloadStore } from './payload-keeper.ts';
import type { Role } from './role.ts';
import { wakeOver } from './waking.ts';

export const ingest = {
  name: 'ingest',
  summary: 'takes posts in over HTTP',
  stage: 'intake',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await ground.payloadKeys();
  },
  async start(ground) {
    const { config, log, store, secrets } = ground;
    const client = ground.pools.intake();
    const payloads = await openPayloadKeeper(ground, client);
    const payloadStore = await openPayloadStore(ground);
    await ground.heldPort?.release();
    return startIngest({
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
    });
  },
} as const satisfies Role;
