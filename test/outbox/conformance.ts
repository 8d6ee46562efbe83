// The suite that every broker passes which can be run here: NATS, RabbitMQ and Redis against their servers, Pub/Sub
// against a stand-in of ours, webhooks against an HTTP server, and the log. Kafka is not among them. What a consumer
// finds decides, not what the broker says.

import { describe } from 'vitest';
import type { BrokerServer } from '../support/brokers/broker-server.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { type BrokerStage, useBrokerStage } from './broker-stage.ts';
import { describeCalls } from './conformance-calls.ts';
import { describeOutages } from './conformance-outages.ts';
import { describePublishing } from './conformance-publishing.ts';
import { describeRefusals } from './conformance-refusals.ts';

/** `more`: tests of this broker alone, on the same server. */
export function describeBroker<Server extends BrokerServer>(
  harness: BrokerHarness<Server>,
  more?: (stage: () => BrokerStage<Server>) => void,
): void {
  const { title, missing, abilities } = harness;
  const why = missing === undefined ? '' : ` (left out: ${missing})`;
  if (missing !== undefined)
    process.stderr.write(`the tests of ${title} are left out: ${missing}\n`);
  describe.skipIf(missing !== undefined)(`the broker ${title}${why}`, () => {
    const stage = useBrokerStage(harness);
    describePublishing(harness, stage);
    describeRefusals(harness, stage);
    describeCalls(harness, stage);
    if (abilities.hasServer) describeOutages(harness, stage);
    more?.(stage);
  });
}
