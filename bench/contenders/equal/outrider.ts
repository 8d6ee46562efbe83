import { enqueueBatch } from '../../../src/db/intake.ts';
import { countRows } from '../../count-rows.ts';
import { openDispatcher } from '../../outrider/dispatcher.ts';
import { channelCount, installOutrider, workspace } from '../../outrider/workload.ts';
import { postsInSlices } from '../../post.ts';
import type { EqualContender } from './queue.ts';

const batchSize = 4000;

/** As in the drain, but posts come in through the public functions. */
export const outrider: EqualContender = {
  name: 'outrider',
  store: 'postgres',
  settings: { batchSize, channels: channelCount, connections: 2, postsPerCall: 100 },
  async prepare(databaseUrl) {
    const admin = await installOutrider(databaseUrl);
    const dispatcher = await openDispatcher(databaseUrl);
    return {
      async seed(count) {
        for (const posts of postsInSlices(count / channelCount, 100)) {
          const items = posts.map(({ title, text, url }) => ({ title, text, url }));
          await enqueueBatch(admin, { workspaceId: workspace, kind: 'push', items });
        }
      },
      drain: async () => void (await dispatcher.drain(workspace, batchSize)),
      remaining: () => countRows(databaseUrl, "outrider.deliveries where status <> 'sent'"),
      sent: () => countRows(databaseUrl, "outrider.deliveries where status = 'sent'"),
      dead: () => countRows(databaseUrl, "outrider.deliveries where status = 'dead'"),
      async close() {
        await dispatcher.close();
        await admin.end();
      },
    };
  },
};
