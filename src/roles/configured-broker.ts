// The broker that the configuration names, with the secret that signs its webhooks.

import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Broker } from '../outbox/broker.ts';
import { openBroker } from '../outbox/brokers/open-broker.ts';
import type { Secrets } from '../secrets.ts';

/** Opens no connection. Throws if the address makes no sense. */
export function openConfiguredBroker(
  { outbox }: Config,
  secrets: Secrets,
  log: Log,
): Promise<Broker> {
  const { broker, webhookSecretRef: ref } = outbox;
  if (ref === undefined) return openBroker(broker, { log });
  return openBroker(broker, {
    log,
    readSigningSecret: () => secrets.ofReference(ref, 'OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF'),
  });
}
