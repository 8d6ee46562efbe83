// A queue in which each thing has happened once, to deliveries with names.

import { type ClaimedDelivery, claimDeliveries } from '../../../src/db/claim.ts';
import { commitOutcomes } from '../../../src/db/commit.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addWorkspace,
  after,
  start,
} from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { failed, sent } from '../queue/outcomes.ts';
import type { NamedWorld } from './documented-answers.ts';

/** The content hash that seed.ts gives to a message. */
export const hashOf = (messageId: string): string =>
  `${messageId.replaceAll('-', '')}${'0'.repeat(32)}`;

/** first was sent, second refused, third failed and is retried, fourth is dead; five to seven have slots. */
export async function addNamedQueue(
  database: TestDatabase,
  world: NamedWorld,
  workspaceId: string,
  prefix: string,
): Promise<void> {
  const { admin, service } = database;
  const settings = { sending_lease: '30 seconds', backoff_jitter: 0 };
  await addWorkspace(admin, workspaceId, settings);
  await addChannel(admin, workspaceId, 'news');
  await addChannel(admin, workspaceId, 'pets');
  await addChannel(admin, workspaceId, 'slow', { rate_rps: 0.1, max_parallel: 3 });
  await addChannel(admin, workspaceId, 'off', { enabled: false });

  async function deliver(name: string, channelId: string, columns = {}): Promise<void> {
    const message = await addMessage(admin, workspaceId);
    world.name(`${prefix}message of ${name}`, message);
    const given = { message_id: message, ...columns };
    world.name(`${prefix}${name}`, await addDelivery(admin, workspaceId, channelId, given));
  }
  function claim(now: string): Promise<ClaimedDelivery[]> {
    return claimDeliveries(service, { workspaceId, runId: 'run', limit: 10 }, now);
  }

  for (const name of ['first', 'second', 'third']) await deliver(name, 'news');
  await deliver('fourth', 'pets', { attempt_limit: 1 });
  const held = await claim(start);
  const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map((name) => {
    const found = held.find((each) => each.deliveryId === world.id(`${prefix}${name}`));
    if (found === undefined) throw new Error(`${name} was not claimed`);
    return found;
  });
  if (!first || !second || !third || !fourth) throw new Error('too few were claimed');
  const later = { ...failed(third), nextRetryAt: after(900) };
  const refused = failed(second, { category: 'PERMANENT', code: '400' });
  await commitOutcomes(service, workspaceId, [sent(first)], after(1));
  await commitOutcomes(service, workspaceId, [refused, later], after(2));
  await commitOutcomes(service, workspaceId, [failed(fourth, { code: '500' })], after(4));
  const message = world.id(`${prefix}message of first`);
  const again = { message_id: message, status: 'deduped', occurrence: null };
  world.name(`${prefix}again`, await addDelivery(admin, workspaceId, 'news', again));

  for (const name of ['five', 'six', 'seven']) await deliver(name, 'slow');
  const [five] = await claim(after(5));
  world.name(`${prefix}claim`, five?.claimToken ?? '');
  await deliver('eight', 'news');
  await deliver('nine', 'pets');
  await deliver('ten', 'news', { not_before: after(3600) });
  await deliver('eleven', 'off');
}
