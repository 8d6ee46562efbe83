import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type ClaimedReply,
  claimBotReplies,
  commitBotReplies,
  extendBotReplies,
  listBotLogs,
  nextBotReplyAt,
  recoverBotReplies,
} from '../../src/db/bot.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import type { GivenError } from '../../src/db/commit.ts';
import { reopenCredential } from '../../src/db/operate.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addBot, applyBot, say } from '../support/bot/bot-chat.ts';
import { addChannel, addDelivery, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';

const database = await useDatabase();
const sessions = useSessions();
const { service, admin } = database;
let workspaceId: string;

beforeEach(async () => {
  // A claim goes over all workspaces: what other tests have left must not be due.
  await admin.query('update outrider.bot_outbox set due_at = null where due_at is not null');
  await admin.query(
    "update outrider.bot_outbox set lease_until = 'infinity' where status = 'sending'",
  );
  workspaceId = await addBot(database);
});

async function ask(chatId = 'c1', at = 0, text = 'доставка'): Promise<void> {
  await say(service, { workspaceId, chatId, text, at });
}

const claim = (at: number, limit = 100): Promise<ClaimedReply[]> =>
  claimBotReplies(service, { runId: 'run', limit }, after(at));

const held = ({ replyId, claimToken }: ClaimedReply) => ({ replyId, claimToken });

async function sent(replies: readonly ClaimedReply[], at: number) {
  const outcomes = replies.map((each) => ({
    ...held(each),
    ok: true as const,
    providerMessageId: `mid.${each.replyId}`,
  }));
  return commitBotReplies(service, workspaceId, outcomes, after(at));
}

async function failed(reply: ClaimedReply, error: GivenError, at: number) {
  const [verdict] = await commitBotReplies(
    service,
    workspaceId,
    [{ ...held(reply), ok: false, error }],
    after(at),
  );
  return verdict;
}

async function only(at: number): Promise<ClaimedReply> {
  const [reply, ...more] = await claim(at);
  expect(more).toEqual([]);
  if (reply === undefined) throw new Error('nothing was claimed');
  return reply;
}

const group = (): Promise<Record<string, unknown>> =>
  queryRow(
    admin,
    z.record(z.string(), z.unknown()),
    `select cooldown_until, closed_at, closed_auth_ref, next_allowed_at, outage_since
     from outrider.platform_limits where workspace_id = $1 and platform = 'max' and rate_group = 'bot'`,
    [workspaceId],
  );

const statuses = async (): Promise<string[]> =>
  (
    await queryRows(
      admin,
      z.object({ status: z.string() }),
      'select status from outrider.bot_outbox where workspace_id = $1 order by seq',
      [workspaceId],
    )
  ).map(({ status }) => status);

describe('a claim', () => {
  it('hands out all that a send needs, once', async () => {
    await ask();
    expect(await only(1)).toMatchObject({
      workspaceId,
      platform: 'max',
      chatId: 'c1',
      authRef: 'bot',
      secretRef: 'env:MAX_TOKEN',
      rateGroup: 'bot',
      reply: { text: 'За три дня, Аня.' },
      attempt: 1,
      outcomeUnknown: false,
      leaseMs: 30_000,
      waitMs: 0,
    });
    expect(await claim(2)).toEqual([]);
  });

  it('takes one reply of a chat at a time, in order, and other chats beside it', async () => {
    await ask('c1', 0, 'доставка');
    await ask('c1', 1, 'телефон');
    await ask('c2', 2, 'телефон');
    const first = await claim(3);
    expect(first.map(({ chatId, reply }) => [chatId, reply.text])).toEqual([
      ['c1', 'За три дня, Аня.'],
      ['c2', 'Звоните.'],
    ]);
    expect(await claim(4)).toEqual([]);
    await sent(first, 5);
    expect((await only(6)).reply).toEqual({
      text: 'Звоните.',
      buttons: [[{ text: 'Доставка', payload: 'delivery' }]],
    });
  });

  it('keeps what another sender holds from being committed without its token', async () => {
    await ask();
    const reply = await only(1);
    const stranger = { ...reply, claimToken: randomUUID() };
    expect(await sent([stranger], 2)).toMatchObject([
      { became: null, note: 'stale: the reply is "sending" and not held under this token' },
    ]);
    expect(await sent([reply], 3)).toMatchObject([{ became: 'sent' }]);
  });

  it('takes a reply that was decided while the one before it was being committed', async () => {
    await ask('c1', 0);
    const first = await only(1);
    const turn = await sessions.open(service);
    await say(turn.client, { workspaceId, text: 'телефон', at: 2 });
    const committer = await sessions.open(service);
    const outcome = { ...held(first), ok: true, providerMessageId: 'mid' } as const;
    const commit = commitBotReplies(committer.client, workspaceId, [outcome], after(3));
    await committer.waitsFor(turn, commit);
    await turn.commit();
    await commit;
    await committer.commit();
    expect((await only(4)).reply.text).toBe('Звоните.');
  });

  it('shares the slots of its rate group with deliveries', async () => {
    await applyBot(service, {
      workspace: workspaceId,
      rate_groups: { max: { bot: { rate_rps: 10 } } },
    });
    await addChannel(admin, workspaceId, 'news', { platform: 'max', target_id: '-1' });
    for (const chat of ['c1', 'c2', 'c3', 'c4', 'c5']) await ask(chat);
    const replies = await claim(1);
    expect(replies.map(({ waitMs }) => waitMs)).toEqual([0, 100, 200]);
    await addDelivery(admin, workspaceId, 'news');
    expect(
      await claimDeliveries(service, { workspaceId, runId: 'run', limit: 10 }, after(1)),
    ).toEqual([]);
    expect(await group()).toMatchObject({ next_allowed_at: '2026-03-02 10:00:01.4+00' });
    expect(await nextBotReplyAt(service, after(1))).toEqual(new Date(after(1.15)));
  });

  it('does not wait for a group that somebody has locked', async () => {
    await ask();
    const other = await sessions.open(admin);
    await other.client.query(
      `select from outrider.platform_limits where workspace_id = $1 for no key update`,
      [workspaceId],
    );
    expect(await claim(1)).toEqual([]);
    expect(await nextBotReplyAt(service, after(1))).toEqual(new Date(after(1)));
    await other.commit();
    expect(await claim(1)).toHaveLength(1);
  });

  it('gives each of several groups its share', async () => {
    const other = await addBot(database);
    for (const chat of ['c1', 'c2', 'c3']) await ask(chat);
    await say(service, { workspaceId: other, text: 'доставка' });
    const claimed = await claim(1, 2);
    expect(new Set(claimed.map((each) => each.workspaceId))).toEqual(new Set([workspaceId, other]));
  });

  it('takes first what has been due for longest, of whichever workspace', async () => {
    const [early, late] = [workspaceId, await addBot(database)].toSorted();
    if (early === undefined || late === undefined) throw new Error('there are two');
    await say(service, { workspaceId: late, text: 'доставка', at: 0 });
    await say(service, { workspaceId: early, text: 'доставка', at: 1 });
    expect((await claim(2, 1)).map((each) => each.workspaceId)).toEqual([late]);
    expect((await claim(2, 1)).map((each) => each.workspaceId)).toEqual([early]);
  });

  it('takes nothing of a workspace that is paused', async () => {
    await ask();
    await admin.query(`update outrider.workspaces set status = 'paused' where workspace_id = $1`, [
      workspaceId,
    ]);
    expect(await claim(1)).toEqual([]);
    expect(await nextBotReplyAt(service, after(1))).toBeNull();
  });
});

describe('the pace of a chat', () => {
  // MAX takes 2 messages a second in a chat; we send 1.6, one in 0.625 s.
  it('lets the next reply wait for its step, and no other chat', async () => {
    for (const n of [1, 2, 3]) await ask('c1', n / 10);
    await sent([await only(1)], 1.1);
    expect(await claim(1.6)).toEqual([]);
    expect(await nextBotReplyAt(service, after(1.6))).toEqual(new Date(after(1.625)));
    await ask('c2', 1.6);
    expect((await only(1.61)).chatId).toBe('c2');
    expect((await only(1.625)).chatId).toBe('c1');
  });

  it('counts from the slot in which the reply before it went out', async () => {
    await applyBot(service, {
      workspace: workspaceId,
      rate_groups: { max: { bot: { rate_rps: 10 } } },
    });
    for (const chat of ['c1', 'c2', 'c3', 'c3']) await ask(chat);
    await sent(await claim(1), 1.3);
    expect(await nextBotReplyAt(service, after(1.5))).toEqual(new Date(after(1.825)));
  });

  it('holds for a reply that is decided when nothing of the chat waits', async () => {
    await ask('c1', 0);
    await sent([await only(1)], 1.1);
    await ask('c1', 1.2);
    expect(await claim(1.624)).toEqual([]);
    expect(await only(1.625)).toMatchObject({ chatId: 'c1' });
  });

  it('does not hold for a button that is only heard', async () => {
    await ask('c1', 0, 'оператор');
    await sent([await only(1)], 1.1);
    await say(service, { workspaceId, kind: 'button', payload: 'a', callbackId: 'q', at: 1.2 });
    expect(await only(1.2)).toMatchObject({ reply: {}, callbackId: 'q' });
  });

  it('is what a 429 says, also for the reply after one that was given up', async () => {
    await applyBot(service, { workspace: workspaceId, settings: { give_up_after: '1 second' } });
    await ask('c1', 0, 'доставка');
    await ask('c1', 0, 'телефон');
    const pace = {
      category: 'TRANSIENT',
      scope: 'channel',
      code: '429',
      cause: 'pace',
      outcome: 'refused',
      retryAfterMs: 30_000,
    } as const;
    expect(await failed(await only(1), pace, 2)).toMatchObject({ became: 'waiting' });
    expect(await failed(await only(60), pace, 61)).toMatchObject({ became: 'dead' });
    expect(await claim(90)).toEqual([]);
    expect((await only(91)).reply.text).toBe('Звоните.');
  });
});

describe('a failure', () => {
  const transient = { category: 'TRANSIENT', scope: 'delivery' } as const;
  const outage = { ...transient, code: '502', outcome: 'unknown', cause: 'outage' } as const;

  it('that passes is tried again by the retry policy, and the chat waits in order', async () => {
    await ask('c1', 0, 'доставка');
    await ask('c1', 0, 'телефон');
    const verdict = await failed(await only(1), outage, 2);
    expect(verdict?.became).toBe('waiting');
    expect(await claim(3)).toEqual([]);
    const again = await only(10);
    expect(again).toMatchObject({ attempt: 2, outcomeUnknown: true });
    expect(again.reply.text).toBe('За три дня, Аня.');
    await sent([again], 11);
    expect((await only(12)).reply.text).toBe('Звоните.');
  });

  it('is on record with the reply as its turn has masked it', async () => {
    workspaceId = await addBot(database, {
      phone: {
        pattern: { mode: 'any', validate: 'phone' },
        collect: 'number',
        retry_template: 'Это не телефон.',
        response_template: 'Звоним на {{number}}.',
      },
    });
    await ask('c1', 0, '495 123 45 67');
    const reply = await only(1);
    expect(reply.reply.text).toBe('Звоним на 495 123 45 67.');
    await failed(reply, outage, 2);
    const [error] = await listBotLogs(service, { workspaceId, limit: 1 }, after(3));
    expect(error).toMatchObject({ action: 'retry', responsePreview: 'Звоним на [phone].' });
  });

  it('whose platform quotes the reply is on record without numbers of phones and cards', async () => {
    await ask('c1', 0, 'доставка');
    const words = 'Звоним на 916 123-45-67, карта 2200 1111 1111 1116 123.';
    const raw = { ok: false, chat_id: 9_161_234_568, description: words };
    await failed(await only(1), { ...outage, message: `Bad Request: ${words}`, raw }, 2);
    const [log] = await listBotLogs(service, { workspaceId, limit: 1 }, after(3));
    const { last_error } = await queryRow(
      admin,
      z.object({ last_error: z.unknown() }),
      'select last_error from outrider.bot_outbox where workspace_id = $1',
      [workspaceId],
    );
    for (const kept of [log, last_error]) {
      expect(JSON.stringify(kept)).toContain('Bad Request: Звоним на [phone], карта [card].');
      expect(JSON.stringify(kept)).not.toMatch(/123-45|1116/);
    }
  });

  it('whose platform quotes what the chat has told keeps none of it', async () => {
    workspaceId = await addBot(database, {
      phone: {
        pattern: { mode: 'any', validate: 'phone' },
        collect: 'number',
        retry_template: 'Это не телефон.',
        response_template: 'Звоним на {{number}}.',
        next_state: 'called',
      },
    });
    await ask('c1', 0, '495 123 45 67');
    const reply = await only(1);
    const message = `Bad Request: ${reply.reply.text}`;
    await failed(reply, { ...outage, message, raw: { description: message } }, 2);
    const [log] = await listBotLogs(service, { workspaceId, limit: 1 }, after(3));
    expect(JSON.stringify(log)).toContain('Bad Request: Звоним на [phone].');
    expect(JSON.stringify(log)).not.toContain('495 123');
  });

  it('is dead after five attempts, and the next reply of the chat goes on', async () => {
    await ask('c1', 0, 'доставка');
    await ask('c1', 0, 'телефон');
    let verdict: Awaited<ReturnType<typeof failed>>;
    for (let n = 1; n <= 5; n++) verdict = await failed(await only(n * 1000), outage, n * 1000 + 1);
    expect(verdict?.became).toBe('dead');
    expect((await only(6000)).reply.text).toBe('Звоните.');
    const logs = await queryRows(
      admin,
      z.object({ action: z.string() }),
      `select action from outrider.bot_logs where workspace_id = $1 and action not in ('matched') order by ts`,
      [workspaceId],
    );
    expect(logs.map(({ action }) => action)).toEqual(['retry', 'retry', 'retry', 'retry', 'dead']);
  });

  it('of the chat for good ends all that waits for that chat, and no other', async () => {
    await ask('c1', 0, 'доставка');
    await ask('c1', 0, 'телефон');
    await ask('c2', 0, 'телефон');
    const [first, second] = await claim(1);
    if (first === undefined || second === undefined) throw new Error('two are due');
    const denied = { category: 'PERMANENT', scope: 'channel', code: 'chat.denied' } as const;
    expect(await failed(first, denied, 2)).toMatchObject({ became: 'failed' });
    await sent([second], 2);
    expect(await statuses()).toEqual(['failed', 'failed', 'sent']);
    expect(await group()).toMatchObject({ cooldown_until: null, closed_at: null });
  });

  it('of one reply for good lets the next of the chat go on', async () => {
    await ask('c1', 0, 'доставка');
    await ask('c1', 0, 'телефон');
    const bad = { category: 'PERMANENT', scope: 'delivery', code: 'bad_request' } as const;
    await failed(await only(1), bad, 2);
    expect((await only(3)).reply.text).toBe('Звоните.');
  });

  it('for the pace cools the whole group down, uses up no attempt, and is on record', async () => {
    await ask('c1');
    await ask('c2');
    const [first, second] = await claim(1);
    if (first === undefined || second === undefined) throw new Error('two are due');
    const pace = {
      category: 'TRANSIENT',
      scope: 'platform',
      code: '429',
      cause: 'pace',
      outcome: 'refused',
      retryAfterMs: 30_000,
    } as const;
    await failed(first, pace, 2);
    await sent([second], 2);
    await ask('c3', 3);
    expect(await claim(31)).toEqual([]);
    const later = await claim(60);
    expect(later.map(({ chatId }) => chatId).toSorted()).toEqual(['c1', 'c3']);
    const row = await queryRow(
      admin,
      z.object({ attempt_limit: z.number() }),
      'select attempt_limit from outrider.bot_outbox where workspace_id = $1 and reply_id = $2',
      [workspaceId, first.replyId],
    );
    expect(row.attempt_limit).toBe(6);
    const [event] = await queryRows(
      admin,
      z.object({ meta: z.record(z.string(), z.unknown()) }),
      `select meta from outrider.event_log where workspace_id = $1 and action = 'group_cooled_down'`,
      [workspaceId],
    );
    expect(event?.meta).toMatchObject({ platform: 'max', rate_group: 'bot' });
  });

  it('of a refused credential closes the group and loses no reply', async () => {
    await ask('c1');
    const refused = {
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'credential_refused',
      cause: 'credential',
      outcome: 'refused',
    } as const;
    expect(await failed(await only(1), refused, 2)).toMatchObject({ became: 'waiting' });
    expect(await group()).toMatchObject({ closed_auth_ref: 'bot' });
    await applyBot(service, { workspace: workspaceId, credentials: { bot: {} } });
    expect(await claim(3)).toEqual([]);
    expect(await nextBotReplyAt(service, after(3))).toBeNull();
    const order = { workspaceId, operator: 'ann', reason: 'a new token' };
    await reopenCredential(service, { ...order, authRef: 'bot' }, after(4));
    expect((await only(5)).attempt).toBe(2);
  });

  it('of the sender itself gives the reply back without an attempt', async () => {
    await ask();
    const aborted = { ...transient, code: 'aborted' };
    expect(await failed(await only(1), aborted, 2)).toMatchObject({ became: 'waiting' });
    expect(await only(60)).toMatchObject({ attempt: 2, outcomeUnknown: false });
  });
});

describe('a success', () => {
  it('ends the outage of its rate group', async () => {
    await ask('c1');
    await ask('c2');
    await admin.query(
      `insert into outrider.platform_limits as g (workspace_id, platform, rate_group, updated_at, outage_channels, outage_since, resting_until)
       values ($1, 'max', 'bot', $2, '{news}', $2, $3)
       on conflict (workspace_id, platform, rate_group) do update
       set outage_channels = excluded.outage_channels, outage_since = excluded.outage_since, resting_until = excluded.resting_until`,
      [workspaceId, after(0), after(10)],
    );
    expect(await claim(5)).toEqual([]);
    const probe = await only(11);
    expect(await claim(12)).toEqual([]);
    await sent([probe], 13);
    expect(await group()).toMatchObject({ outage_since: null });
    expect(await claim(14)).toHaveLength(1);
  });
});

describe('a commit', () => {
  it('under a token that is over changes nothing, and says so', async () => {
    await ask();
    const reply = await only(1);
    await recoverBotReplies(service, after(100));
    expect(await sent([reply], 101)).toEqual([
      {
        replyId: reply.replyId,
        became: null,
        dueAt: null,
        note: 'stale: the reply is "waiting" and not held under this token',
      },
    ]);
    const unknown = { ...reply, replyId: '00000000-0000-4000-8000-000000000000' };
    expect(await sent([unknown], 101)).toMatchObject([{ became: null, note: /^unknown/ }]);
  });

  it('of one reply twice counts once', async () => {
    await ask();
    const reply = await only(1);
    expect((await sent([reply, reply], 2)).map(({ became }) => became)).toEqual(['sent', null]);
  });
});

describe('a reply whose sender is gone', () => {
  it('is sent again by another, with its outcome unknown', async () => {
    await ask();
    const { replyId } = await only(1);
    expect(await recoverBotReplies(service, after(31))).toEqual([]);
    expect(await recoverBotReplies(service, after(32))).toEqual([
      { workspaceId, replyId, became: 'waiting' },
    ]);
    expect(await claim(41)).toEqual([]);
    expect(await only(42)).toMatchObject({ replyId, attempt: 2, outcomeUnknown: true });
  });

  it('stays with a sender that extends its lease', async () => {
    await ask();
    const { replyId, claimToken } = await only(1);
    const request = { workspaceId, replyIds: [replyId], claimToken };
    expect(await extendBotReplies(service, request, after(20))).toEqual([
      { replyId, leaseMs: 30_000 },
    ]);
    expect(await recoverBotReplies(service, after(49))).toEqual([]);
    expect(await recoverBotReplies(service, after(51))).toHaveLength(1);
    expect(await extendBotReplies(service, request, after(52))).toEqual([]);
  });

  it('is dead after five senders, and the next of its chat is due', async () => {
    await ask('c1', 0, 'доставка');
    await ask('c1', 0, 'телефон');
    for (let n = 1; n <= 5; n++) {
      await only(n * 1000);
      await recoverBotReplies(service, after(n * 1000 + 60));
    }
    expect(await statuses()).toEqual(['dead', 'waiting']);
    expect((await only(6000)).reply.text).toBe('Звоните.');
  });
});

describe('a reply that waits', () => {
  it('goes out with the credential that its endpoint names now', async () => {
    await ask();
    await applyBot(service, {
      workspace: workspaceId,
      credentials: { next: { platform: 'max', secret_ref: 'env:NEXT' } },
      endpoints: { bot: { auth_ref: 'next' } },
    });
    expect(await only(1)).toMatchObject({
      authRef: 'next',
      secretRef: 'env:NEXT',
      rateGroup: 'next',
    });
  });
});
