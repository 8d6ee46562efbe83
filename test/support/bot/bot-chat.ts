// A workspace with a bot, and people who write to it in virtual time.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { applyWorkspace, type Change } from '../../../src/db/apply.ts';
import {
  type BotTurn,
  type BotUpdate,
  runBotTurn,
  type TakenUpdate,
  takeBotUpdate,
} from '../../../src/db/bot.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import { after, start } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';

/** Rules of a small shop: two questions, a return in three steps, a person on request. */
export const shopRules = {
  delivery: {
    pattern: { mode: 'stem', keywords: ['доставка'], payloads: ['delivery'] },
    response_template: 'За три дня, {{name}}.',
  },
  contacts: {
    pattern: { keywords: ['телефон'] },
    response_template: 'Звоните.',
    buttons: [[{ text: 'Доставка', payload: 'delivery' }]],
  },
  returns: {
    pattern: { mode: 'stem', keywords: ['возврат', 'вернуть'] },
    response_template: 'Какой номер заказа?',
    next_state: 'order',
  },
  'returns-order': {
    from_state: 'order',
    pattern: { mode: 'any', validate: 'order_number' },
    collect: 'order',
    retry_template: 'Это не номер заказа.',
    response_template: 'Почему возвращаете?',
    next_state: 'reason',
  },
  'returns-reason': {
    from_state: 'reason',
    pattern: { mode: 'any' },
    collect: 'reason',
    response_template: 'Заказ {{order}}, причина: {{reason}}. Принесите его нам.',
    next_state: 'default',
  },
  person: {
    pattern: { mode: 'stem', keywords: ['оператор'] },
    response_template: 'Зову.',
    escalate: true,
  },
};

/** A document with a bot on MAX; its secret is of the workspace alone. */
export function botDocument(workspace: string, bot_rules: object = shopRules): object {
  return {
    workspace,
    credentials: { bot: { platform: 'max', secret_ref: 'env:MAX_TOKEN' } },
    endpoints: {
      bot: {
        kind: 'bot_webhook',
        secret_hash: randomUUID().replaceAll('-', '').padEnd(64, '0'),
        auth_ref: 'bot',
      },
    },
    rate_groups: { max: { bot: { rate_rps: 0 } } },
    alert_targets: { log: { kind: 'log' } },
    bot_rules,
  };
}

export async function applyBot(
  client: Queryable,
  document: object,
  prune = false,
): Promise<Change[]> {
  return applyWorkspace(client, { document, prune, dryRun: false }, start);
}

/** A workspace with the rules, that no other test of the file has. */
export async function addBot(
  database: TestDatabase,
  bot_rules: object = shopRules,
  settings: object = {},
): Promise<string> {
  const workspace = database.newWorkspaceId();
  await applyBot(database.service, { ...botDocument(workspace, bot_rules), settings });
  return workspace;
}

export type Said = Partial<BotUpdate> & { readonly workspaceId: string; readonly at?: number };

/** Hands an update in, and answers with its key. */
export async function tell(
  client: Queryable,
  { workspaceId, at = 0, ...said }: Said,
): Promise<TakenUpdate> {
  const update = {
    chatId: 'c1',
    providerMessageId: randomUUID(),
    kind: 'message' as const,
    sender: { id: '7', name: 'Аня' },
    ...said,
  };
  const request = {
    workspaceId,
    endpointId: 'bot',
    provider: 'max',
    update,
    traceId: `trace-${update.providerMessageId}`,
  };
  return takeBotUpdate(client, request, after(at));
}

/** Writes to the bot, and answers with what it says and does. */
export async function say(
  client: Queryable,
  said: Said,
): Promise<BotTurn & { readonly reply: string | null }> {
  const { chatId, providerMessageId } = await tell(client, said);
  const key = { workspaceId: said.workspaceId, provider: 'max', chatId, providerMessageId };
  const turn = await runBotTurn(client, key, after(said.at ?? 0));
  const [row] = await queryRows(
    client,
    z.object({ text: z.string().nullable() }),
    `select reply ->> 'text' as text from outrider.bot_outbox where workspace_id = $1 and reply_id = $2`,
    [said.workspaceId, turn.replyId],
  );
  return { ...turn, reply: row?.text ?? null };
}
