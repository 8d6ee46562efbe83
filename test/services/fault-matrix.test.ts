import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { FaultKind } from '../../sandbox/simulator.ts';
import { reopenCredential } from '../../src/db/operate.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { harnesses } from '../adapters/harnesses.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { openSending, type Sending } from '../support/sandbox/sending.ts';
import { type Platform, platforms } from '../support/sandbox/three-platforms.ts';

// Every fault strikes the first send of a text and of an album; then the queue goes on by itself. What the
// chat shows in the end must agree with what the delivery says.

const database = await useDatabase();
let sending: Sending;
let workspaceId: string;

beforeEach(async () => {
  workspaceId = database.newWorkspaceId();
  sending = await openSending(database);
  await sending.addWorkspace(workspaceId);
});
afterEach(() => sending.close());

interface Case {
  readonly platform: Platform;
  readonly post: 'text' | 'album';
  readonly kind: FaultKind;
  readonly stored: boolean;
  readonly says: string;
  /** How often the post is shown in the end. */
  readonly shown: number;
  readonly status: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const onTheWire = [
  'drop',
  'half_open',
  'slow_drip',
  'html',
  'empty_body',
  'truncated_json',
  'server_error',
] as const;
/** Only patience ends these. */
const endless: readonly FaultKind[] = ['half_open', 'slow_drip'];
const posts = ['text', 'album'] as const;

const unknown = 'TRANSIENT delivery outcome_unknown';

const wireCases: Case[] = platforms.flatMap((platform) =>
  posts.flatMap((post) =>
    onTheWire.flatMap((kind) =>
      [false, true].map((stored) => ({
        platform,
        post,
        kind,
        stored,
        says: unknown,
        // Telegram has neither a key for repeats nor a way to look: at least once.
        shown: stored && platform === 'telegram' ? 2 : 1,
        status: 'sent',
      })),
    ),
  ),
);

const held: Case[] = posts.flatMap((post) =>
  onTheWire.map((kind) => ({
    platform: 'telegram',
    post,
    kind,
    stored: true,
    says: 'PERMANENT delivery outcome_unknown',
    shown: 1,
    status: 'failed_permanent',
    settings: { on_unknown: 'hold' },
  })),
);

const refusals: Case[] = platforms.flatMap((platform) =>
  posts.flatMap((post) => [
    refusal(platform, post, 'rate_limited', /^TRANSIENT platform rate_limited$/, 'sent'),
    refusal(platform, post, 'kicked', /^PERMANENT channel not_allowed$/, 'failed_permanent'),
    refusal(platform, post, 'revoked', /^TRANSIENT platform credential_refused$/, 'sent'),
  ]),
);

function refusal(
  platform: Platform,
  post: Case['post'],
  kind: FaultKind,
  says: RegExp,
  status: string,
): Case {
  return {
    platform,
    post,
    kind,
    stored: false,
    says: says.source,
    shown: status === 'sent' ? 1 : 0,
    status,
  };
}

const special: Case[] = [
  refusal('max', 'album', 'attachment_not_ready', /^TRANSIENT delivery media_not_ready$/, 'sent'),
  refusal('vk', 'text', 'captcha', /^TRANSIENT platform credential_refused$/, 'sent'),
  refusal('vk', 'album', 'captcha', /^TRANSIENT platform credential_refused$/, 'sent'),
];

const cases = [...wireCases, ...held, ...refusals, ...special];

async function enqueue(one: Case): Promise<void> {
  await database.admin.query(
    `update outrider.channels set enabled = channel_id = $2, settings = $3 where workspace_id = $1`,
    [workspaceId, one.platform, JSON.stringify(one.settings ?? {})],
  );
  const refs =
    one.post === 'text'
      ? []
      : [await sending.addPicture(workspaceId, 'a'), await sending.addPicture(workspaceId, 'b')];
  const media = refs.map((blob_ref) => ({ type: 'image', blob_ref }));
  const post = { text: 'Lost: a dog', ...(media.length === 0 ? {} : { media }) };
  await take(database.service, workspaceId, post, sending.now());
}

/** The token is good again, and somebody says so. */
async function reopen(authRef: string): Promise<void> {
  const operator = { operator: 'ann', reason: 'the token is good again' };
  await reopenCredential(database.service, { workspaceId, authRef, ...operator }, sending.now());
}

async function statusOfDelivery(): Promise<string> {
  const row = await queryRow(
    database.admin,
    z.object({ status: z.string() }),
    'select status::text from outrider.deliveries where workspace_id = $1',
    [workspaceId],
  );
  return row.status;
}

/** An album counts by its text, which one of its items has. */
function timesShown(one: Case): number {
  return sending.posts(one.platform).filter((post) => post.text === 'Lost: a dog').length;
}

/** A round whose patience ends when the fault has struck. The calls before it, and its effect, may take their time. */
async function roundOfPatience(one: Case): ReturnType<Sending['round']> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const round = sending.round(workspaceId, { timeoutMs: 1500 });
    const { faults } = sending.sandbox;
    await expect
      .poll(() => [faults.list().length, timesShown(one)])
      .toEqual([0, one.stored ? 1 : 0]);
    await vi.advanceTimersByTimeAsync(1500);
    return await round;
  } finally {
    vi.useRealTimers();
  }
}

describe('after a fault', () => {
  it.each(cases)(
    '$platform, $post, $kind, stored $stored: the chat and the delivery agree ($status, shown $shown)',
    async (one) => {
      await enqueue(one);
      const { sendText, sendAlbum } = harnesses[one.platform].methods;
      const method = one.post === 'text' ? sendText : sendAlbum;
      const { kind, stored } = one;
      // VK's pace is that of calls, and an upload is several: its adapter waits a little and tries a few times more.
      const times = kind === 'rate_limited' ? 9 : 1;
      sending.sandbox.faults.add({ kind, stored, method, times, retryAfter: 3 });

      const { outcomes } = await (endless.includes(kind)
        ? roundOfPatience(one)
        : sending.round(workspaceId));
      const [outcome] = outcomes;
      if (outcome === undefined || outcome.ok) throw new Error('the fault did not strike');
      const { category, scope, code } = outcome.error;
      expect(`${category} ${scope} ${code}`).toMatch(new RegExp(one.says));

      sending.sandbox.faults.clear();
      if (code === 'credential_refused') await reopen(one.platform);
      for (let round = 0; round < 3; round += 1) {
        sending.clock.advance(600_000);
        await sending.round(workspaceId);
      }
      expect(await statusOfDelivery()).toBe(one.status);
      expect(timesShown(one)).toBe(one.shown);
    },
    60_000,
  );
});
