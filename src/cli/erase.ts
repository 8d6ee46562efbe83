import { listPayloads } from '../db/payloads.ts';
import { openPool, type Queryable } from '../db/pool.ts';
import { type Erased, eraseContact, type StandingPost } from '../db/privacy.ts';
import { removePayloads } from '../payloads/expiry.ts';
import { holdsContact } from '../payloads/holds-contact.ts';
import { readPayloadKeys } from '../payloads/keys.ts';
import { createPayloadStore } from '../payloads/payload-store.ts';
import { openStores, type Stores } from '../roles/configured-stores.ts';
import { createSecrets } from '../secrets.ts';
import { askingOptions, askingUsage, inWorkspace, type Place, withHint } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { formOf } from './form.ts';
import { operatorOptions, operatorUsage, orderOf } from './operator.ts';
import { readOptionsOnly, text } from './options.ts';
import { inSchemaNames, printJson } from './table.ts';
import { whileWaiting } from './waiting.ts';

const usage = `outrider erase --contact C --reason R [options]

Takes a person's contact out of everything that the workspace keeps: posts, deliveries, events, receipts, runs, and raw
payloads, which are removed. The word "erased" takes its place; the rest of the text stays. Waiting deliveries go out
with that text. Posts that already stand in chats are listed, so that somebody can delete them there. It is on record
that a contact was erased, and not which. Exit code 1: nothing was found.

  --contact C     a phone number in any spelling, an e-mail address, or an account (@name, an id); - reads it from
                  standard input, so that it is in no history of commands
${operatorUsage}

${askingUsage}`;

export const erase: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, { ...askingOptions, ...operatorOptions, contact: text });
    const form = formOf(terminal, values);
    const order = orderOf(values);
    const contact = await contactOf(values.contact, terminal);
    const done = await inWorkspace(terminal, values.workspace, (place) =>
      whileWaiting(terminal, 'looking through everything', erased(place, { ...order, contact })),
    );
    if (form === 'json') {
      const { counts, posts } = done;
      printJson(terminal, {
        dry_run: order.dryRun,
        counts,
        posts: posts.map((each) => inSchemaNames(each)),
      });
    } else print(terminal, done, order.dryRun);
    return isFound(done) ? exitCodes.ok : exitCodes.failed;
  },
};

async function contactOf(given: string | undefined, terminal: Terminal): Promise<string> {
  const contact = given === '-' ? (await terminal.input()).trim() : given?.trim();
  if (contact !== undefined && contact !== '') return contact;
  throw new UsageError('whom? --contact is a phone number, an e-mail address or an account');
}

interface Erasing {
  readonly contact: string;
  readonly operator: string;
  readonly reason: string;
  readonly dryRun: boolean;
}

/** The raw payloads first: which belong to the person is known by the rows that name the contact. */
async function erased(place: Place, order: Erasing): Promise<Erased> {
  const { config, database, workspaceId } = place;
  // It reads every row of the workspace, however long that takes.
  const client = openPool({
    url: database.serviceUrl,
    applicationName: 'outrider erase',
    max: 1,
    statementTimeoutMs: 0,
  });
  await using stores = openStores(config, createSecrets(config.secrets));
  const hint = 'outrider erase --help says what a contact is';
  try {
    const request = { workspaceId, ...order };
    const found = await withHint(eraseContact(client, { ...request, dryRun: true }), hint);
    const payloads = await payloadsOf({ place, client, stores }, order.contact, found);
    const counts = { ...found.counts, raw_payloads: payloads.length };
    if (order.dryRun) return { ...found, counts };
    await removePayloads(client, stores.payloads, workspaceId, payloads);
    const done = await eraseContact(client, { ...request, dryRun: false });
    return { ...done, counts: { ...done.counts, raw_payloads: payloads.length } };
  } finally {
    await client.end();
  }
}

/** Those of the rows that were found, and those that name the contact themselves, where there is a key to read them. */
async function payloadsOf(
  { place, client, stores }: { place: Place; client: Queryable; stores: Stores },
  contact: string,
  { payloads }: Erased,
): Promise<Erased['payloads']> {
  const { config, workspaceId } = place;
  const keys = await readPayloadKeys(config.payloadKeyRef, createSecrets(config.secrets));
  if (keys === undefined) return payloads;
  const store = createPayloadStore(stores.payloads, keys);
  const found = new Map(payloads.map((each) => [each.payloadRef, each]));
  let after: string | undefined;
  for (;;) {
    const page = await listPayloads(client, { workspaceId, after, limit: pageSize });
    for (const { payloadRef, objectUrl } of page) {
      if (found.has(payloadRef)) continue;
      const object = await store.open({ workspaceId, payloadRef }, objectUrl);
      // What nobody can read any more is no use to anybody.
      const isMeant = object?.ok === true ? holdsContact(object.bytes, contact) : true;
      if (isMeant) found.set(payloadRef, { payloadRef, objectUrl });
    }
    if (page.length < pageSize) return [...found.values()];
    after = page.at(-1)?.payloadRef;
  }
}

const pageSize = 500;

/** The kinds of rows that are parts of others, or not erased here. */
const besides = new Set(['waiting', 'being_sent', 'posts_in_chats']);

function isFound({ counts }: Erased): boolean {
  return Object.values(counts).some((count) => count > 0);
}

function print(terminal: Terminal, { counts, posts }: Erased, dryRun: boolean): void {
  const kinds = Object.entries(counts).filter(([kind, count]) => count > 0 && !besides.has(kind));
  const list = kinds.map(([kind, count]) => `${kind.replaceAll('_', ' ')}: ${count}`).join(', ');
  if (kinds.length === 0) terminal.out('Nothing that is kept names this contact.');
  else terminal.out(`${dryRun ? 'would erase it from' : 'erased it from'} ${list}`);
  const { waiting = 0, being_sent: sending = 0 } = counts;
  const will = dryRun ? 'would go' : 'go';
  if (waiting > 0) terminal.out(`${waiting} of the deliveries wait, and ${will} out with "erased"`);
  if (sending > 0) {
    terminal.out(`${sending} of the deliveries are being sent: run this again when that is over`);
  }
  if (posts.length > 0) printPosts(terminal, posts);
}

function printPosts(terminal: Terminal, posts: readonly StandingPost[]): void {
  terminal.out('Posts that stand in chats; delete them there:');
  for (const { channelId, providerMessageIds, sentAt } of posts) {
    terminal.out(`  ${channelId}\t${providerMessageIds.join(',')}\t${sentAt.toISOString()}`);
  }
}
