// A sender of your own that extends no lease: it claims with a lease that outlasts its batch, starts no send after the
// lease has ended, and gives back what it has not sent.
//
//   npm run example examples/own-sender.ts

import { readFile } from 'node:fs/promises';
import { loadConfig } from 'outrider';
import {
  type ClaimedDelivery,
  claimDeliveries,
  markSent,
  openDatabase,
  openPool,
  releaseClaims,
} from 'outrider/sql';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const database = await openDatabase(loadConfig(), { notice: print });
const pool = openPool({ url: database.serviceUrl, applicationName: 'own sender' });
try {
  const arranged = await readFile(new URL('first-delivery.sql', import.meta.url), 'utf8');
  const admin = openPool({ url: database.url, applicationName: 'own sender' });
  await admin.query(arranged);
  await admin.end();
  await sendBatch('first-delivery');
} finally {
  await pool.end();
  await database.close();
}

async function sendBatch(workspaceId: string): Promise<void> {
  const askedAt = performance.now(); // before the claim, and by a clock that nobody sets
  const request = { workspaceId, runId: 'own sender', limit: 20, lease: '5 minutes' };
  const unsent = await claimDeliveries(pool, request);
  for (let next = unsent[0]; next !== undefined; next = unsent[0]) {
    if (performance.now() >= askedAt + next.leaseMs) break; // somebody else may have the rest by now
    const providerMessageId = await send(next);
    unsent.shift();
    const verdict = await markSent(pool, { workspaceId, ...next }, { providerMessageId });
    print(verdict.became ?? verdict.note ?? '');
  }
  const [first] = unsent;
  if (first === undefined) return;
  const deliveryIds = unsent.map((each) => each.deliveryId);
  await releaseClaims(pool, { workspaceId, claimToken: first.claimToken, deliveryIds });
}

async function send({ renderedText, channel }: ClaimedDelivery): Promise<string> {
  print(`"${renderedText}" to ${channel.targetId}`);
  return '4711';
}
