// A dispatcher in one screen: claims what is due, "sends" it, commits, sleeps until the next is due.
// The first attempt meets a rate limit, the second arrives.
//
//   npm run example examples/first-delivery.ts

import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from 'outrider';
import {
  type ClaimedDelivery,
  claimDeliveries,
  commitOutcomes,
  nextDueAt,
  type Outcome,
  openDatabase,
  openPool,
} from 'outrider/sql';

const workspaceId = 'first-delivery';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const database = await openDatabase(loadConfig(), { notice: print });
const pool = openPool({ url: database.url, applicationName: 'example' });
try {
  await pool.query(await readFile(new URL('first-delivery.sql', import.meta.url), 'utf8'));

  for (let isOpen = true; isOpen; ) {
    const claimed = await claimDeliveries(pool, { workspaceId, runId: 'example', limit: 10 });
    if (claimed.length === 0) {
      const due = await nextDueAt(pool); // of any workspace: what is due now may be another one's
      await delay(Math.max(100, (due?.getTime() ?? 0) - Date.now()));
      continue;
    }
    for (const { became, nextRetryAt } of await commitOutcomes(
      pool,
      workspaceId,
      claimed.map(send),
    )) {
      print(`  ${became}${nextRetryAt ? ` at ${nextRetryAt}` : ''}`);
      isOpen = became === 'retry';
    }
  }
} finally {
  await pool.end();
  await database.close();
}

function send(delivery: ClaimedDelivery): Outcome {
  const { deliveryId, claimToken, attempt, renderedText, channel } = delivery;
  print(`attempt ${attempt}: "${renderedText}" to ${channel.targetId}`);
  if (attempt > 1) return { deliveryId, claimToken, ok: true, providerMessageId: '4711' };
  const error = {
    category: 'TRANSIENT',
    scope: 'platform',
    code: 'rate_limited',
    retryAfterMs: 1000,
  } as const;
  return { deliveryId, claimToken, ok: false, error };
}
