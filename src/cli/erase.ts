import { openPool } from '../db/pool.ts';
import { type Erased, eraseContact, type StandingPost } from '../db/privacy.ts';
import { removePayloads } from '../payloads/expiry.ts';
import { readPayloadKeys } from '../payloads/keys.ts';
import {
  type LocatedPayload,
  type PayloadsOfContact,
  payloadsOfContact,
} from '../payloads/of-contact.ts';
import { openStores } from '../roles/configured-stores.ts';
import { createSecrets } from '../secrets.ts';
import { askingOptions, askingUsage, inWorkspace, type Place, withHint } from './asking.ts';
import { type Command, exitCodes, type Terminal, UsageError } from './command.ts';
import { askedAbout, operatorOptions, operatorUsage, orderOf } from './given/operator.ts';
import { flag, readOptionsOnly, text } from './given/options.ts';
import { formOf } from './screen/form.ts';
import { withProgress } from './screen/progress.ts';
import { inSchemaNames, printJson } from './screen/table.ts';
import { whileWaiting } from './screen/waiting.ts';

const options = {
  ...askingOptions,
  ...operatorOptions,
  contact: text,
  'unreadable-too': flag,
} as const;

const usage = `outrider erase --contact C --reason R [options]

Takes a person's contact out of everything that the workspace keeps: posts, deliveries, events, receipts, runs, and raw
payloads, which are removed. The word "erased" takes its place; the rest of the text stays. Waiting deliveries go out
with that text. Posts that stand in chats, or may, are listed, so that somebody can delete them there. It is on record
that a contact was erased, and not which. Exit code 1: nothing was found, or some raw payloads could not be read.

  --contact C     a phone number in any spelling, an e-mail address, or an account (@name, an id); - reads it from
                  standard input, so that it is in no history of commands
  --unreadable-too
                  also removes all raw payloads that are not in this store or cannot be decrypted; without it they are
                  left and counted
${operatorUsage}

${askingUsage}`;

export const erase: Command = {
  usage,
  async run(args, terminal) {
    const values = readOptionsOnly(args, options);
    const form = formOf(terminal, values);
    const order = {
      ...orderOf(values),
      contact: await contactOf(values.contact, terminal),
      yes: values.yes,
      unreadableToo: values['unreadable-too'],
    };
    const done = await inWorkspace(terminal, values.workspace, (place) =>
      erased(place, order, terminal),
    );
    if (form === 'json') {
      const { counts, posts, unread } = done;
      printJson(terminal, {
        dry_run: order.dryRun,
        counts,
        posts: posts.map((each) => inSchemaNames(each)),
        unreadable_payloads: unread,
      });
    } else print(terminal, done, order.dryRun);
    const { missing, locked } = done.unread;
    return isFound(done) && missing + locked === 0 ? exitCodes.ok : exitCodes.failed;
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
  readonly yes: boolean;
  readonly unreadableToo: boolean;
}

interface Done extends Erased {
  /** Raw payloads that were left, because nobody can tell whether they name the contact. */
  readonly unread: { readonly missing: number; readonly locked: number };
}

/** The raw payloads first: which belong to the person is known by the rows that name the contact. */
async function erased(place: Place, order: Erasing, terminal: Terminal): Promise<Done> {
  const { config, database, workspaceId } = place;
  // It reads every row of the workspace, however long that takes.
  const client = openPool({
    url: database.serviceUrl,
    applicationName: 'outrider erase',
    max: 1,
    statementTimeoutMs: 0,
  });
  const secrets = createSecrets(config.secrets);
  await using stores = openStores(config, secrets);
  const { contact, operator, reason, dryRun, yes, unreadableToo } = order;
  const request = { workspaceId, contact, operator, reason };

  async function look(): Promise<{ found: Erased; of: PayloadsOfContact }> {
    const hint = 'outrider erase --help says what a contact is';
    const found = await withHint(eraseContact(client, { ...request, dryRun: true }), hint);
    const keys = await readPayloadKeys(config.payloadKeyRef, secrets);
    const objects = stores.payloads;
    const of = await withProgress(terminal, (tell) => {
      const onRead = (count: number): void => tell('raw payloads read', count);
      onRead(0);
      const search = { client, objects, keys, workspaceId, contact, attached: found.payloads };
      return payloadsOfContact({ ...search, onRead });
    });
    return { found, of };
  }

  async function carryOut(payloads: readonly LocatedPayload[]): Promise<Erased> {
    await removePayloads(client, stores.payloads, workspaceId, payloads);
    const rawPayloads = Math.min(payloads.length, 999_999);
    return eraseContact(client, { ...request, dryRun: false, rawPayloads });
  }

  try {
    const { found, of } = await whileWaiting(terminal, 'looking through everything', look());
    const payloads = unreadableToo ? [...of.meant, ...of.missing, ...of.locked] : of.meant;
    const unread = unreadableToo
      ? { missing: 0, locked: 0 }
      : { missing: of.missing.length, locked: of.locked.length };
    const withPayloads = (each: Erased): Done => {
      return { ...each, counts: { ...each.counts, raw_payloads: payloads.length }, unread };
    };
    const foretold = withPayloads(found);
    if (dryRun) return foretold;
    await askedAbout(terminal, yes, sizeOf(foretold), (changes) => {
      return `the contact would be erased from ${changes} things (${listed(foretold)})`;
    });
    return withPayloads(await whileWaiting(terminal, 'erasing', carryOut(payloads)));
  } finally {
    await client.end();
  }
}

/** The kinds of rows that are parts of others, or not erased here. */
const besides = new Set(['waiting', 'being_sent', 'posts_in_chats']);

function kindsOf({ counts }: Erased): [kind: string, count: number][] {
  return Object.entries(counts).filter(([kind, count]) => count > 0 && !besides.has(kind));
}

function sizeOf(done: Erased): number {
  return kindsOf(done).reduce((sum, [, count]) => sum + count, 0);
}

function isFound(done: Erased): boolean {
  return sizeOf(done) > 0;
}

function listed(done: Erased): string {
  return kindsOf(done)
    .map(([kind, count]) => `${kind.replaceAll('_', ' ')}: ${count}`)
    .join(', ');
}

function print(terminal: Terminal, done: Done, dryRun: boolean): void {
  const { counts, posts } = done;
  if (!isFound(done)) terminal.out('Nothing that is kept names this contact.');
  else terminal.out(`${dryRun ? 'would erase it from' : 'erased it from'} ${listed(done)}`);
  const { waiting = 0, being_sent: sending = 0 } = counts;
  const will = dryRun ? 'would go' : 'go';
  if (waiting > 0) terminal.out(`${waiting} of the deliveries wait, and ${will} out with "erased"`);
  if (sending > 0) {
    terminal.out(`${sending} of the deliveries are being sent: run this again when that is over`);
  }
  if (posts.length > 0) printPosts(terminal, posts);
  printUnread(terminal, done.unread);
}

function printUnread(terminal: Terminal, { missing, locked }: Done['unread']): void {
  if (missing > 0) {
    terminal.err(
      `${missing} raw payloads could not be read and were left: they are not in this store. Run this with the data folder or the bucket of the processes (OUTRIDER_DATA_DIR, OUTRIDER_S3_BUCKET).`,
    );
  }
  if (locked > 0) {
    terminal.err(
      `${locked} raw payloads could not be read and were left: not with these keys. Run this with all keys (OUTRIDER_PAYLOAD_KEY_REF).`,
    );
  }
  if (missing + locked > 0) {
    terminal.err('If they can be read nowhere, --unreadable-too removes them as well.');
  }
}

function printPosts(terminal: Terminal, posts: readonly StandingPost[]): void {
  terminal.out('Posts that stand in chats; delete them there:');
  for (const { channelId, providerMessageIds: ids, sentAt } of posts) {
    const what = ids.length === 0 ? 'perhaps: nobody knows whether it arrived' : ids.join(',');
    const when = sentAt?.toISOString() ?? (ids.length === 0 ? '' : 'not sent whole');
    terminal.out(`  ${channelId}\t${what}\t${when}`.trimEnd());
  }
}
