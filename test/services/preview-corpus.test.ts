// A preview against the sandbox: the posts around every limit of a platform are previewed, taken in and sent, and the
// chats must show what the preview said. By default every n-th of them; PREVIEW_CORPUS=whole takes all (minutes).

import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { PostView } from '../../sandbox/simulator.ts';
import { drawPicture } from '../../sandbox/vk/picture.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { createDeliver } from '../../src/dispatch/deliver.ts';
import { startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { createTransport } from '../../src/http/transport.ts';
import { createLog } from '../../src/log.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { type ChannelPreview, previewPost } from '../../src/preview/preview.ts';
import { createSecrets } from '../../src/secrets.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import type { Draft } from '../support/oracles/preflight.ts';
import { corpus } from '../support/oracles/preflight-corpus.ts';
import { payloadOf, storeBlobs } from '../support/posts/composed-posts.ts';
import {
  addSandboxChannels,
  type SandboxChannel,
  sandboxAdapters,
  sandboxSecrets,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { statusesOf } from '../support/sandbox/sandbox-posts.ts';
import { type Platform, platforms } from '../support/sandbox/three-platforms.ts';

const database = await useDatabase();
const sandbox = await useSandbox();
const store = folderStore(await useFolder());
const transport = createTransport();
afterAll(() => transport.close());
sandbox.vk.simulator.control('limits', { same_text: null });

const workspaceId = 'w';
const modes = ['mixed', 'text', 'media'] as const;
const whole = process.env['PREVIEW_CORPUS'] === 'whole';
/** A prime, so that all kinds of posts are among them. */
const every = whole ? 1 : 29;
const farAway = '2199-01-01T00:00:00Z';
let channels: readonly SandboxChannel[];

beforeAll(async () => {
  const counts = { telegram: 3, max: 3, vk: 3 };
  channels = await addSandboxChannels(database.admin, sandbox, { workspaceId, counts });
  for (const [n, mode] of modes.entries()) {
    await database.admin.query(
      `update outrider.channels
       set send_mode = $2::outrider.send_mode, route_filter = jsonb_build_object('include_all', jsonb_build_array(platform, $2::text))
       where workspace_id = 'w' and channel_id like '%' || $1::text`,
      [`-${n + 1}`, mode],
    );
  }
  const drafts = platforms.flatMap(corpus);
  const sizes = drafts
    .flatMap(({ media = [] }) => media)
    .flatMap(({ blob }) => (typeof blob === 'object' ? [blob.bytes] : []));
  await storeBlobs(database.admin, sizes);
  await store.prepare();
  const picture = Buffer.alloc(1000);
  picture.set(drawPicture(64, 48, 'corpus'));
  const { originUrl } = await store.put(Readable.from([picture]), { maxBytes: 1000 });
  await database.admin.query(
    `update outrider.media_origin set origin_url = $1, content_type = 'image/png' where workspace_id = 'w'`,
    [originUrl],
  );
});

interface Case {
  readonly post: Readonly<Record<string, unknown>>;
  /** It is sent: its files are there with all their bytes. */
  readonly isSent: boolean;
}

function casesOf(platform: Platform): Case[] {
  const drafts = corpus(platform).filter((_, n) => n % every === 0);
  return drafts.map((draft, n): Case => {
    const { type: _type, ...payload } = payloadOf(draft);
    const isSent = (draft.media ?? []).every(isSmall);
    const tags = [platform, draft.sendMode ?? 'mixed'];
    // Nobody sees the fields. They make each post a content of its own: none is a repeat.
    const fields = { platform, number: n };
    const time = isSent ? {} : { scheduled_for: farAway };
    return { post: { ...payload, tags, fields, ...time }, isSent };
  });
}

function isSmall({ blob }: NonNullable<Draft['media']>[number]): boolean {
  return typeof blob !== 'object' || blob.bytes === null || blob.bytes === 1000;
}

/** What readers see of it, whether foreseen or there. */
interface Seen {
  readonly text: string;
  readonly html: string;
  readonly media: readonly string[];
  readonly buttons: unknown;
}

type Expected =
  | { readonly reason: string }
  | { readonly channel: ChannelPreview; readonly seen: readonly Seen[] };

async function foresee(post: object): Promise<Expected> {
  const request = { workspaceId, endpointId: null, rawPost: JSON.stringify(post) };
  const preview = await previewPost(database.service, { ...request, copiesLinks: false });
  if (preview.verdict === 'rejected') return { reason: preview.violations[0]?.message ?? '' };
  const channel = preview.channels.find(({ verdict }) => verdict !== 'not_routed');
  if (channel === undefined) throw new Error('it is routed nowhere');
  const messages = channel.post?.parts.flatMap((part) => part.messages) ?? [];
  const seen = messages.map(({ text, html, attachments, buttons }) => ({
    text,
    html,
    media: attachments.map(({ kind }) => kind),
    buttons,
  }));
  return { channel, seen };
}

/** Few enough for the time that a statement has. */
function inBatches<Item>(items: readonly Item[], size = 250): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, n) => items.slice(n * size, (n + 1) * size));
}

type Taken = Awaited<ReturnType<typeof enqueueBatch>>['items'][number];

/** What intake says of it, in the form of `saidBefore`. */
function saidByIntake(item: Taken): object {
  if (item.verdict === 'rejected') return { verdict: item.verdict, reason: item.reason };
  const taken = item.channels.find(({ verdict }) => verdict !== 'not_routed');
  const { channelId, verdict } = taken ?? {};
  const reason = taken?.verdict === 'validation_failed' ? taken.reason : undefined;
  return { channelId, verdict, reason };
}

function saidBefore(expected: Expected): object {
  if ('reason' in expected) return { verdict: 'rejected', reason: expected.reason };
  const { channelId, verdict, post } = expected.channel;
  const [violation] = post?.violations ?? [];
  const reason = verdict === 'validation_failed' ? violation?.message : undefined;
  return { channelId, verdict, reason };
}

function idIn(item: Taken): string | undefined {
  const verdicts = item.verdict === 'accepted' ? item.channels : [];
  return verdicts.flatMap((each) => (each.verdict === 'queued' ? [each.deliveryId] : []))[0];
}

const Row = z.object({
  status: z.string(),
  channel_id: z.string(),
  ids: z.array(z.string()),
  said: z.string().nullable(),
});

async function deliveriesOf(
  ids: readonly string[],
): Promise<ReadonlyMap<string, z.output<typeof Row>>> {
  const rows = await queryRows(
    database.admin,
    Row.extend({ id: z.string() }),
    `select delivery_id::text as id, status::text, channel_id, last_error ->> 'message' as said,
       array(select jsonb_array_elements_text(coalesce(
         render_meta #> '{series_progress,provider_message_ids}', jsonb_build_array(coalesce(provider_message_id, ''))))) as ids
     from outrider.deliveries where delivery_id = any ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

async function sendAll(): Promise<void> {
  const deliver = createDeliver({
    client: database.service,
    adapters: sandboxAdapters(transport, urlsOf(sandbox)),
    secrets: createSecrets(sandboxSecrets),
    store,
  });
  const dispatcher = startDispatcher({
    client: database.service,
    deliver,
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
    concurrency: 50,
    drainMs: 60_000,
    pollMs: 100,
  });
  try {
    await vi.waitFor(
      async () => {
        const {
          claimed = 0,
          sending = 0,
          retry = 0,
        } = await statusesOf(database.admin, workspaceId);
        const due = await database.admin.query(
          `select from outrider.deliveries where status = 'queued' and not_before < '2190-01-01' limit 1`,
        );
        expect([claimed, sending, retry, due.rowCount]).toEqual([0, 0, 0, 0]);
      },
      { timeout: 600_000, interval: 50 },
    );
  } finally {
    await dispatcher.stop();
  }
}

function shownIn(channelId: string, ids: readonly string[]): Seen[] {
  const channel = channels.find((each) => each.channelId === channelId);
  if (channel === undefined) throw new Error(`there is no channel ${channelId}`);
  const posts = postsOf(channel);
  return ids
    .flatMap((id) => id.split(','))
    .flatMap((id) => posts.get(id) ?? [])
    .map(({ text, html, media, buttons }) => ({
      text,
      html,
      media: media.map(({ type }) => type),
      buttons,
    }));
}

const known = new Map<string, ReadonlyMap<string, PostView>>();

/** Read once: everything of a platform has been sent. */
function postsOf({ platform, targetId }: SandboxChannel): ReadonlyMap<string, PostView> {
  const before = known.get(targetId);
  if (before !== undefined) return before;
  const chat = sandbox[platform].simulator.chats().find((each) => each.chat === targetId);
  const posts = new Map((chat?.posts ?? []).map((post) => [post.id, post]));
  known.set(targetId, posts);
  return posts;
}

describe.each(platforms)('a preview of the posts around every limit of %s', (platform) => {
  it('says what intake says, and shows what the chats then show, character by character', {
    timeout: 1_200_000,
  }, async () => {
    const cases = casesOf(platform);
    const expected: Expected[] = [];
    for (const { post } of cases) expected.push(await foresee(post));
    const taken: Taken[] = [];
    for (const items of inBatches(cases.map(({ post }) => post))) {
      const batch = await enqueueBatch(database.service, { workspaceId, kind: 'push', items });
      taken.push(...batch.items);
    }
    expect(expected.map(saidBefore)).toEqual(taken.map(saidByIntake));

    const ids = taken.map(idIn);
    await sendAll();
    known.clear();
    const rows = await deliveriesOf(ids.flatMap((id) => id ?? []));
    const outcomes = expected.map((foreseen, n) => {
      const row = rows.get(ids[n] ?? '');
      if (row === undefined || 'reason' in foreseen) return 'refused';
      return cases[n]?.isSent === true ? differenceOf(foreseen, row) : 'not sent';
    });
    const counts = Object.fromEntries(
      [...Map.groupBy(outcomes, String)].map(([outcome, some]) => [outcome, some.length]),
    );
    if (whole) console.log(platform, counts);
    expect(Object.keys(counts).filter((each) => !outcomesThatAgree.includes(each))).toEqual([]);
    // Enough of each for the comparison to mean something.
    expect(counts['shown as foreseen']).toBeGreaterThan(15);
    expect(counts['refused']).toBeGreaterThan(5);
  });
});

const outcomesThatAgree = ['refused', 'not sent', 'shown as foreseen', 'failed as foreseen'];

/** A post that was sent is shown as foreseen; one that its platform refused was foreseen to be refused in these words. */
function differenceOf(
  { channel, seen }: Exclude<Expected, { reason: string }>,
  { status, channel_id: channelId, ids, said }: z.output<typeof Row>,
): string {
  const foreseen = (channel.post?.violations ?? []).map(({ message }) => message);
  if (status !== 'sent') {
    const isForeseen = isDeepStrictEqual(foreseen, [said]);
    return isForeseen ? 'failed as foreseen' : `failed with ${said}, not ${foreseen.join()}`;
  }
  if (foreseen.length > 0) return `sent, in spite of ${foreseen.join()}`;
  const shown = shownIn(channelId, ids);
  if (!isDeepStrictEqual(seen, shown)) {
    return `foreseen ${JSON.stringify(seen).slice(0, 500)}, shown ${JSON.stringify(shown).slice(0, 500)}`;
  }
  return isMeasured(channel, shown) ? 'shown as foreseen' : `has not ${channel.post?.length}`;
}

/** Whether the length that a preview tells is that of the text that the chat shows, or of the text that was sent. */
function isMeasured({ post }: ChannelPreview, shown: readonly Seen[]): boolean {
  if (post === null || post.renderedText === '') return true;
  const read = shown[0]?.text ?? '';
  // A text that shows nothing is not sent with its media.
  const counted = post.countsMarkup && read !== '' ? post.renderedText : read;
  const length = post.lengthUnit === 'utf16' ? counted.length : Array.from(counted).length;
  return post.length === length && length <= post.lengthMax;
}
