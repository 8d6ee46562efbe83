import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Sandbox } from '../../sandbox/start.ts';
import { createSendReply, type SendReply } from '../../src/bot/send-reply.ts';
import {
  type BotUpdate,
  type ClaimedReply,
  claimBotReplies,
  commitBotReplies,
  type ReplyVerdict,
  runBotTurn,
  takeBotUpdate,
} from '../../src/db/bot.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { createTransport } from '../../src/http/transport.ts';
import { createLog } from '../../src/log.ts';
import { createSecrets } from '../../src/secrets.ts';
import { shopRules } from '../support/bot/bot-chat.ts';
import {
  addPerson,
  addSandboxBot,
  botPlatforms,
  hear,
  type Person,
} from '../support/bot/sandbox-bot.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { sandboxAdapters, sandboxSecrets, urlsOf } from '../support/sandbox/sandbox-channels.ts';

const { service: client } = await useDatabase();
const workspaceId = 'paced';
const transport = createTransport();
let sendReply: SendReply;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await useSandbox();
  const pressed = { pattern: { payloads: ['delivery'] }, response_template: 'За три дня.' };
  await addSandboxBot(client, workspaceId, { rules: { ...shopRules, pressed }, rateRps: 10 });
  sendReply = createSendReply({
    client,
    adapters: sandboxAdapters(transport, urlsOf(sandbox)),
    secrets: createSecrets(sandboxSecrets),
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
  });
});

afterAll(() => transport.close());

async function claimDue(): Promise<ClaimedReply> {
  return vi.waitFor(async () => {
    const [claimed] = await claimBotReplies(client, { runId: 'test', limit: 1 });
    if (claimed === undefined) throw new Error('nothing is due');
    return claimed;
  }, 10_000);
}

async function sendDue(reply: ClaimedReply): Promise<ReplyVerdict[]> {
  const outcome = await sendReply(reply, {
    breakOff: new AbortController(),
    holds: () => true,
  });
  expect(outcome).toMatchObject({ ok: true });
  return commitBotReplies(client, workspaceId, [outcome]);
}

/** Whether the answer to an update takes slots of its rate group beside the one that it is claimed with. */
async function takesFurtherSlots(
  { platform: provider, chatId }: Person,
  said: Pick<BotUpdate, 'kind' | 'text' | 'payload' | 'callbackId'>,
): Promise<boolean> {
  const update = { ...said, chatId, providerMessageId: said.kind };
  const { providerMessageId } = update;
  await takeBotUpdate(client, {
    workspaceId,
    endpointId: provider,
    provider,
    update,
    traceId: 't',
  });
  await runBotTurn(client, { workspaceId, provider, chatId, providerMessageId });
  const reply = await claimDue();
  const nextSlot = () =>
    queryRow(
      client,
      z.object({ at: z.string() }),
      `select extract(epoch from next_allowed_at)::text as at from outrider.platform_limits
       where workspace_id = $1 and platform = $2`,
      [workspaceId, provider],
    );
  const before = await nextSlot();
  await sendDue(reply);
  return Number((await nextSlot()).at) > Number(before.at);
}

describe.each(botPlatforms)('on %s', (platform) => {
  it('an answer to a pressed button takes a slot for telling the platform that it was heard, too', async () => {
    const button = { kind: 'button', payload: 'delivery', callbackId: 'pressed' } as const;
    expect(await takesFurtherSlots(addPerson(sandbox, platform), button)).toBe(true);
    const message = { kind: 'message', text: 'доставка' } as const;
    expect(await takesFurtherSlots(addPerson(sandbox, platform), message)).toBe(false);
  });

  it('a button that is only heard is recorded so, however long its name is', async () => {
    const person = addPerson(sandbox, platform);
    const key = { workspaceId, provider: platform, chatId: person.chatId };
    await hear(client, workspaceId, person, 'оператор');
    await sendDue(await claimDue());
    const update = {
      kind: 'button',
      chatId: person.chatId,
      providerMessageId: 'button',
      payload: 'delivery',
      callbackId: 'я'.repeat(512),
    } as const;
    await takeBotUpdate(client, { ...key, endpointId: platform, update, traceId: 't' });
    await runBotTurn(client, { ...key, providerMessageId: 'button' });
    const heard = await claimDue();
    expect(heard.reply).toEqual({});
    expect(await sendDue(heard)).toMatchObject([{ became: 'sent' }]);
  });
});
