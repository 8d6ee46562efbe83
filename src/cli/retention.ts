import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import { expiredPayloads } from '../db/payloads.ts';
import type { Queryable } from '../db/pool.ts';
import { type Purged, purgeExpired, purgeOutbox, restartSweeps } from '../db/retention.ts';
import { collectFiles } from '../dispatch/collection.ts';
import { purge, summed } from '../dispatch/purge.ts';
import type { OriginStore } from '../media/origin-store.ts';
import { forgetExpired } from '../payloads/expiry.ts';
import { openStores } from '../roles/configured-stores.ts';
import { createSecrets } from '../secrets.ts';
import { type Command, exitCodes, type Terminal } from './command.ts';
import { flag, readOptionsOnly } from './given/options.ts';
import { onGround } from './ground.ts';
import { type Form, formOf, formOptions, formUsage } from './screen/form.ts';
import { type Tell, withProgress } from './screen/progress.ts';
import { type List, printList } from './screen/table.ts';

const usage = `outrider retention [--dry-run] [options]

Deletes what has been kept long enough, in all workspaces: events, deliveries and their messages, receipts, runs of
intake, media, raw payloads, and published events of the outbox if the login is a member of outrider_retention. The
settings of each workspace say how long, and OUTRIDER_OUTBOX_RETENTION_DAYS for the outbox. Files that no workspace
names any more are set aside, and deleted by the next run that comes an hour later or more. Prints what was deleted. A
running dispatcher does the same by itself, once a day for each workspace.

  --dry-run       deletes nothing, and counts what would be deleted
${formUsage}`;

export const retention: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, { 'dry-run': flag, ...formOptions });
    const form = formOf(terminal, values);
    const dryRun = values['dry-run'];
    const purged = await onGround(terminal, async ({ client, config }) => {
      await using stores = openStores(config, createSecrets(config.secrets));
      return await withProgress(terminal, async (tell) => {
        const rows = await rowsOf(client, `${config.outbox.retentionDays} days`, dryRun, tell);
        tell('raw payloads', 0);
        const payloads = await payloadsOf(client, stores.payloads, dryRun);
        tell('files that nobody names', 0);
        return [...rows, ...payloads, ...(await collectFiles({ ...stores, client, dryRun }))];
      });
    });
    print(terminal, purged, form, dryRun);
    return exitCodes.ok;
  },
};

async function rowsOf(
  client: Queryable,
  olderThan: string,
  dryRun: boolean,
  tell: Tell,
): Promise<Purged[]> {
  if (!dryRun) {
    await restartSweeps(client);
    const outboxRetention = olderThan;
    const onBatch = (removed: number): void => tell('rows deleted', removed);
    onBatch(0);
    const options = {
      client,
      clock: systemClock,
      outboxRetention,
      rest: (ms: number) => delay(ms),
    };
    const gone = await purge({ ...options, onBatch });
    if (!gone.some(({ what, removed }) => what === 'event_partitions' && removed > 0)) return gone;
    // What was kept only because its events were there goes, too, and not a day later.
    await restartSweeps(client);
    return summed([...gone, ...(await purge({ ...options, onBatch }))]);
  }
  tell('rows that would be deleted', 0);
  const request = { limit: 1, dryRun };
  const found = await purgeExpired(client, request);
  return summed([...found, ...(await purgeOutbox(client, { ...request, olderThan }))]);
}

const mostCounted = 10_000;

/** Raw payloads whose time is over, which a running upkeep removes by itself. */
async function payloadsOf(
  client: Queryable,
  objects: OriginStore,
  dryRun: boolean,
): Promise<Purged[]> {
  const expired = dryRun ? await expiredPayloads(client, mostCounted) : [];
  const counts = dryRun
    ? Map.groupBy(expired, (each) => each.workspaceId)
        .entries()
        .map(([workspaceId, some]) => [workspaceId, some.length] as const)
    : (await forgetExpired(client, objects)).entries();
  const note = expired.length < mostCounted ? null : 'there may be more';
  return [...counts].map(([workspaceId, removed]) => {
    return { what: 'raw_payloads', workspaceId, removed, more: false, note };
  });
}

const list: List<Purged> = {
  fields: ['what', 'workspaceId', 'removed', 'note'],
  columns: [
    { title: 'what', cell: (row) => row.what.replaceAll('_', ' ') },
    { title: 'workspace', cell: (row) => row.workspaceId ?? '', shrinks: 12 },
    { title: 'rows', cell: (row) => row.removed.toLocaleString('en'), align: 'right' },
  ],
};

function print(terminal: Terminal, purged: readonly Purged[], form: Form, dryRun: boolean): void {
  for (const { what, note } of form === 'table' ? purged : []) {
    if (note !== null) terminal.err(`${what.replaceAll('_', ' ')}: ${note}`);
  }
  const removed = purged.filter((each) => each.removed > 0);
  if (form === 'table' && removed.length === 0) {
    terminal.out(`nothing ${dryRun ? 'would be' : 'was'} deleted`);
    return;
  }
  printList(terminal, list, form === 'table' ? removed : purged, { form });
}
