import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimBotReplies, commitBotReplies, runBotTurn } from '../../src/db/bot.ts';
import { eraseContact } from '../../src/db/privacy.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { purgeExpired } from '../../src/db/retention.ts';
import { changesAt } from '../support/alerts/alert-rows.ts';
import { addBot, say, shopRules, tell } from '../support/bot/bot-chat.ts';
import { removeAllWorkspaces } from '../support/database/all-gone.ts';
import { after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { purgeAll } from '../support/queue/purging.ts';

const database = await useDatabase();
const { service, admin } = database;
const day = 86_400;
let workspaceId: string;

async function bot(settings: object = {}): Promise<void> {
  workspaceId = await addBot(database, shopRules, { alert_on_installation: false, ...settings });
}

async function logs(action: string, count: number, at: number): Promise<void> {
  await admin.query(
    `insert into outrider.bot_logs (workspace_id, id, ts, provider, chat_id, action, state_before, state_after, meta)
     select $1, gen_random_uuid(), $2, 'max', 'c1', $3, 'default', 'default', '{"error": {"code": "502"}}'
     from generate_series(1, $4)`,
    [workspaceId, after(at), action, count],
  );
}

describe('an alert', () => {
  it('opens for a message whose turn was not done for a minute', async () => {
    await bot();
    const { chatId, providerMessageId } = await tell(service, { workspaceId, text: 'доставка' });
    expect(await changesAt(service, workspaceId, 59)).toEqual([]);
    expect(await changesAt(service, workspaceId, 60)).toEqual(['opened bot_turns']);
    await runBotTurn(
      service,
      { workspaceId, provider: 'max', chatId, providerMessageId },
      after(61),
    );
    expect(await changesAt(service, workspaceId, 62)).toEqual(['resolved bot_turns']);
  });

  it('opens when sends of replies fail more often than the workspace allows', async () => {
    await bot();
    await logs('retry', 10, 0);
    expect(await changesAt(service, workspaceId, 60)).toEqual([]);
    await logs('failed', 1, 30);
    expect(await changesAt(service, workspaceId, 60)).toEqual(['opened bot_errors']);
    expect(await changesAt(service, workspaceId, 660)).toEqual(['resolved bot_errors']);
  });

  it('opens for a reply that is dead, and is over after a day', async () => {
    await bot();
    await admin.query(
      `insert into outrider.bot_outbox
         (workspace_id, reply_id, provider, chat_id, inbound_provider_message_id, endpoint_id, auth_ref, rate_group, reply,
          response_hash, trace_id, status, attempt, attempt_limit, last_error, created_at, failed_at)
       values ($1, gen_random_uuid(), 'max', 'c1', 'm', 'bot', 'bot', 'bot', '{"text": "a"}', 'h', 't', 'dead', 5, 5,
         '{"code": "502"}', $2, $2)`,
      [workspaceId, after(0)],
    );
    expect(await changesAt(service, workspaceId, 60)).toEqual(['opened bot_dead_replies']);
    expect(await changesAt(service, workspaceId, day + 60)).toEqual(['resolved bot_dead_replies']);
  });

  it('opens when no rule matches half of the messages of an hour, of 20 or more', async () => {
    await bot({ alert_bot_fallback_over: 0.5 });
    await logs('fell_back', 10, 0);
    await logs('asked_again', 9, 0);
    expect(await changesAt(service, workspaceId, 60)).toEqual([]);
    await logs('fell_back', 1, 1);
    expect(await changesAt(service, workspaceId, 60)).toEqual(['opened bot_fallbacks']);
    await logs('asked_again', 2, 2);
    expect(await changesAt(service, workspaceId, 60)).toEqual(['resolved bot_fallbacks']);
  });

  it('opens for a chat that waits for a person, until it is resumed or its time is over', async () => {
    await bot();
    await say(service, { workspaceId, text: 'оператор' });
    expect(await changesAt(service, workspaceId, 900)).toEqual([]);
    expect(await changesAt(service, workspaceId, 901)).toEqual(['opened bot_escalations']);
    expect(await changesAt(service, workspaceId, day / 2)).toEqual(['resolved bot_escalations']);
  });

  it('opens when nothing comes in at the endpoint of a bot, if the workspace asks for it', async () => {
    await bot({ alert_bot_silence_over: '1 hour' });
    await say(service, { workspaceId, text: 'доставка', at: 600 });
    expect(await changesAt(service, workspaceId, 4200)).toEqual([]);
    expect(await changesAt(service, workspaceId, 4201)).toEqual(['opened bot_silence:bot']);
    await say(service, { workspaceId, text: 'доставка', at: 4300 });
    expect(await changesAt(service, workspaceId, 4300)).toEqual(['resolved bot_silence:bot']);
  });

  it('opens no earlier when the messages are kept for less time than nothing may come in', async () => {
    await bot({ alert_bot_silence_over: '7 days', bot_inbox_retention: '1 day' });
    await say(service, { workspaceId, text: 'доставка', at: 20 * day });
    await purgeAll(service, after(22 * day));
    expect(await changesAt(service, workspaceId, 27 * day)).toEqual([]);
    expect(await changesAt(service, workspaceId, 27 * day + 1)).toEqual(['opened bot_silence:bot']);
  });
});

describe('what a bot keeps', () => {
  beforeEach(async () => {
    await removeAllWorkspaces(admin);
    await bot();
  });

  const kept = () =>
    queryRow(
      admin,
      z.record(z.string(), z.number()),
      `select
         (select count(*)::integer from outrider.bot_inbox where workspace_id = $1) as inbox,
         (select count(*)::integer from outrider.bot_logs where workspace_id = $1) as logs,
         (select count(*)::integer from outrider.bot_outbox where workspace_id = $1) as outbox,
         (select count(*)::integer from outrider.bot_state where workspace_id = $1) as state`,
      [workspaceId],
    );

  it('goes when its time is over: messages after 3 days, the rest after 30', async () => {
    await say(service, { workspaceId, text: 'доставка' });
    const claimed = await claimBotReplies(service, { runId: 'run', limit: 10 }, after(1));
    const outcomes = claimed.map(({ replyId, claimToken }) => ({
      replyId,
      claimToken,
      ok: true as const,
      providerMessageId: 'mid',
    }));
    await commitBotReplies(service, workspaceId, outcomes, after(2));
    await purgeAll(service, after(2 * day));
    expect(await kept()).toEqual({ inbox: 1, logs: 1, outbox: 1, state: 1 });
    await purgeAll(service, after(4 * day));
    expect(await kept()).toEqual({ inbox: 0, logs: 1, outbox: 1, state: 1 });
    const counted = await purgeExpired(service, { limit: 100, dryRun: true }, after(31 * day));
    expect(counted.map(({ what }) => what).filter((what) => what.startsWith('bot_'))).toEqual([
      'bot_logs',
      'bot_outbox',
      'bot_state',
    ]);
    await purgeAll(service, after(31 * day));
    expect(await kept()).toEqual({ inbox: 0, logs: 0, outbox: 0, state: 0 });
  });

  it('stays while a reply waits, with its chat', async () => {
    await say(service, { workspaceId, text: 'доставка' });
    await purgeAll(service, after(40 * day));
    expect(await kept()).toEqual({ inbox: 0, logs: 0, outbox: 1, state: 1 });
  });
});

describe('a contact', () => {
  it('is erased from messages, replies, what was collected, and the record', async () => {
    await bot();
    await say(service, { workspaceId, text: 'возврат' });
    await say(service, { workspaceId, text: 'заказ 12345' });
    await say(service, { workspaceId, text: 'звоните мне: ann_lee' });
    const request = {
      workspaceId,
      contact: '@ann_lee',
      operator: 'ann',
      reason: 'she asked',
    };
    const counted = await eraseContact(service, { ...request, dryRun: true });
    expect(counted.counts['bot']).toBe(3);
    await eraseContact(service, { ...request, dryRun: false });
    const { text } = await queryRow(
      admin,
      z.object({ text: z.string() }),
      `select string_agg(x.row, ' ') as text from (
         select i::text as row from outrider.bot_inbox i where workspace_id = $1
         union all select o::text from outrider.bot_outbox o where workspace_id = $1
         union all select s::text from outrider.bot_state s where workspace_id = $1
         union all select l::text from outrider.bot_logs l where workspace_id = $1
       ) x`,
      [workspaceId],
    );
    expect(text).not.toContain('ann_lee');
    expect(text).toContain('erased');
  });
});
