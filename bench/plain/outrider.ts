// A push as src/ingest makes it when src/dispatch has room in the same process: the push also claims.

import { createHash } from 'node:crypto';
import type { ClaimedDelivery } from '../../src/db/claim.ts';
import { ingestPush } from '../../src/db/intake.ts';
import { openClient } from '../../src/db/pool.ts';
import { backendPid } from '../backend-pid.ts';
import { commit, serviceLogin } from '../outrider/dispatcher.ts';
import { addEndpoint, bindBot, installOutrider, workspace } from '../outrider/workload.ts';
import { cpuNanosOfThread } from '../process-cpu.ts';
import type { PlainTaker } from './taker.ts';

export const outrider: PlainTaker = {
  name: 'outrider',
  settings: { push: 'ingest_push', claim: 'with the push', channels: 1 },
  async prepare(databaseUrl) {
    const secretHash = createHash('sha256').update('secret-of-the-bench').digest('hex');
    const admin = await installOutrider(databaseUrl, 1, null);
    await bindBot(admin, 'env:BOT');
    await addEndpoint(admin, secretHash);
    await admin.end();
    const url = await serviceLogin(databaseUrl);
    const open = () => openClient({ url, applicationName: 'bench' });
    const [pushes, commits] = await Promise.all([open(), open()]);
    const pushPid = await backendPid(pushes);
    let claimed: readonly ClaimedDelivery[] = [];
    return {
      async takeAndClaim({ title, text, url: link }) {
        const rawPayload = JSON.stringify({ title, text, url: link });
        const sizeBytes = Buffer.byteLength(rawPayload);
        const request = { secretHash, sizeBytes, rawPayload, traceId: null, claimer: 'bench' };
        claimed = (await ingestPush(pushes, request)).claimed;
        if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} deliveries`);
      },
      finish: async () => void (await commit(commits, workspace, claimed)),
      cpu: () => ({ pushNanos: cpuNanosOfThread(pushPid), claimNanos: 0 }),
      async close() {
        await Promise.all([pushes.end(), commits.end()]);
      },
    };
  },
};
