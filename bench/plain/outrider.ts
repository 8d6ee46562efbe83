// A push as src/ingest makes it, and the claim with which src/dispatch follows when its own process took the post
// in: it is told the workspace, and asks for as many as a workspace may have under way.

import { createHash } from 'node:crypto';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { openClient } from '../../src/db/pool.ts';
import { ingestPush } from '../../src/db/push.ts';
import { backendPid } from '../backend-pid.ts';
import { serviceLogin } from '../outrider/dispatcher.ts';
import { addEndpoint, bindBot, installOutrider, workspace } from '../outrider/workload.ts';
import { cpuNanosOfThread } from '../process-cpu.ts';
import type { PlainTaker } from './taker.ts';

const limit = 450;

export const outrider: PlainTaker = {
  name: 'outrider',
  settings: { push: 'ingest_push', claim: 'claim_deliveries', limit, channels: 1 },
  async prepare(databaseUrl) {
    const secretHash = createHash('sha256').update('secret-of-the-bench').digest('hex');
    const admin = await installOutrider(databaseUrl, 1, null);
    await bindBot(admin, 'env:BOT');
    await addEndpoint(admin, secretHash);
    await admin.end();
    const url = await serviceLogin(databaseUrl);
    const open = () => openClient({ url, applicationName: 'bench' });
    const [pushes, claims, commits] = await Promise.all([open(), open(), open()]);
    const [pushPid, claimPid] = await Promise.all([backendPid(pushes), backendPid(claims)]);
    let claimed: readonly ClaimedDelivery[] = [];
    return {
      async takeAndClaim({ title, text, url: link }) {
        const rawPayload = JSON.stringify({ title, text, url: link });
        const sizeBytes = Buffer.byteLength(rawPayload);
        await ingestPush(pushes, { secretHash, sizeBytes, rawPayload, traceId: null });
        claimed = await claimDeliveries(claims, { workspaceId: workspace, runId: 'bench', limit });
        if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} deliveries`);
      },
      async finish() {
        const outcomes = claimed.map(
          ({ deliveryId, claimToken }) =>
            ({ ok: true, deliveryId, claimToken, providerMessageId: deliveryId }) as const,
        );
        await commitOutcomes(commits, workspace, outcomes);
      },
      cpu: () => ({
        pushNanos: cpuNanosOfThread(pushPid),
        claimNanos: cpuNanosOfThread(claimPid),
      }),
      async close() {
        await Promise.all([pushes.end(), claims.end(), commits.end()]);
      },
    };
  },
};
