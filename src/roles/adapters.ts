// Sends, reads and copies for programs that orchestrate by SQL, over HTTP. Beside ingest it shares its server.

import { createSendReply } from '../bot/send-reply.ts';
import { databaseTime } from '../db/health.ts';
import { createDeliver } from '../dispatch/deliver.ts';
import { observedDeliver } from '../dispatch/observed-deliver.ts';
import { OutriderError } from '../errors.ts';
import { documentArea } from '../gateway/document-area.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { tokenVariable } from '../gateway/token.ts';
import { healthArea } from '../http/health.ts';
import { type HttpServer, startServer } from '../http/server.ts';
import { healthy } from '../service.ts';
import { openAlertTargets } from './alert-targets.ts';
import type { Ground } from './ground.ts';
import { observedReply } from './observed-sends.ts';
import { openPayloadKeeper } from './payload-keeper.ts';
import { pullContext } from './pull.ts';
import type { Role } from './role.ts';
import { openStatus } from './status.ts';

export const adapters = {
  name: 'adapters',
  summary: 'sends and reads for n8n and other programs over HTTP (the gateway)',
  stage: 'intake',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await requireToken(ground);
    await Promise.all([ground.adapters(), ground.transport(), ground.payloadKeys()]);
  },
  async start(ground) {
    await ground.store.prepare();
    const gateway = await openGateway(ground);
    const name = 'adapters';
    if (ground.wanted.includes('ingest')) {
      ground.gateway = gateway;
      return {
        name,
        health: () => healthy,
        async stop() {
          ground.gateway = undefined;
          await gateway.stop();
        },
      };
    }
    const server = await serve(ground, gateway);
    return {
      name,
      ...server,
      async stop() {
        await server.stop();
        await gateway.stop();
      },
    };
  },
} as const satisfies Role;

/** A server of its own. */
async function serve(ground: Ground, gateway: Gateway): Promise<HttpServer> {
  const { config, log, heldPort, pools, observing } = ground;
  const client = pools.outcomes();
  const asked = {
    askDatabase: () => databaseTime(client),
    health: () => ground.health(),
  };
  const status = await openStatus(ground);
  await heldPort?.release();
  try {
    return await startServer({
      ...config.http,
      log,
      patience: { stopMs: config.drainMs },
      observer: observing.observer,
      areas: [
        healthArea(asked),
        ...observing.areas(() => client),
        documentArea,
        gateway.area,
        status,
      ],
    });
  } catch (error) {
    await gateway.stop();
    throw error;
  }
}

async function openGateway(ground: Ground): Promise<Gateway> {
  const { config, log, clock, secrets, store, pools } = ground;
  const leases = pools.outcomes();
  const client = pools.claims();
  const byPlatform = await ground.adapters();
  const payloads = await openPayloadKeeper(ground, client);
  const senders = { client: leases, adapters: byPlatform, secrets, log };
  const { observer } = ground.observing;
  const deliver = ground.around(createDeliver({ ...senders, store, payloads }));
  // Not before the role is wanted: it speaks to sources as well.
  const { createGateway } = await import('../gateway/gateway.ts');
  return createGateway({
    client: pools.intake(),
    leases,
    log,
    clock,
    secrets,
    tokenRef: await requireToken(ground),
    concurrency: config.concurrency,
    fetcher: ground.fetcher(),
    deliver: observedDeliver(deliver, observer),
    sendReply: observedReply(ground.aroundReply(createSendReply(senders)), observer),
    tell: openAlertTargets({ config, client, log, secrets, adapters: byPlatform }),
    sources: await pullContext(ground),
  });
}

/** The reference of the token, if the token can be read: a gateway without one would be open to everybody. */
async function requireToken({ config, secrets }: Ground): Promise<string> {
  const { gatewayTokenRef: ref } = config;
  const hint = `the gateway needs a token: set ${tokenVariable} to env:NAME or file:PATH`;
  if (ref === undefined) {
    throw new OutriderError('configuration', `${tokenVariable} is not set`, { hint });
  }
  const read = await secrets.ofReference(ref, tokenVariable);
  if (!read.ok) throw new OutriderError('configuration', read.reason, { hint });
  return ref;
}
