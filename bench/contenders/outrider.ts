import type { Contender, PreparedQueue } from '../contender.ts';
import { countRows } from '../count-rows.ts';
import { openDispatcher } from '../outrider/dispatcher.ts';
import { addBacklog, channelCount, installOutrider, workspace } from '../outrider/workload.ts';

const bestBatch = 4000;

/** Our core with everything on: slots of channels and groups, leases, dedup upkeep, two events for each delivery. */
export function outrider(batch: number = bestBatch): Contender {
  return {
    name: 'outrider',
    store: 'postgres',
    settings: { batchSize: batch, channels: channelCount, connections: 2 },
    prepare: (databaseUrl) => prepare(databaseUrl, batch),
  };
}

export const outriderSweep = [250, 500, 1000, 2000, 4000, 8000].map(outrider);

async function prepare(databaseUrl: string, batch: number): Promise<PreparedQueue> {
  const admin = await installOutrider(databaseUrl);
  const dispatcher = await openDispatcher(databaseUrl);
  return {
    seed: (count, text) => addBacklog(admin, workspace, count, text),
    drain: async () => void (await dispatcher.drain(workspace, batch)),
    remaining: () => countRows(databaseUrl, "outrider.deliveries where status <> 'sent'"),
    async close() {
      await dispatcher.close();
      await admin.end();
    },
  };
}
