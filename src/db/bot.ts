// The bot: what people write to it, its turns, and the sending of its replies.

import {
  BotDecision,
  BotLogEntry,
  BotTurn,
  ClaimedReply,
  ExtendedReply,
  FailedTurn,
  ListedChat,
  PendingTurn,
  RecoveredReply,
  ReplyVerdict,
  ResumedChat,
  TakenUpdate,
  UnmatchedTexts,
} from './bot-rows.ts';
import { at, callForRow, callForValue, callFunction, json } from './call.ts';
import { time } from './columns.ts';
import { errorAsJson, type GivenError } from './commit.ts';
import type { Order } from './operate.ts';
import type { Queryable } from './pool.ts';

export type * from './bot-rows.ts';

/** An update of a platform, in the words of the bot. */
export interface BotUpdate {
  readonly chatId: string;
  readonly providerMessageId: string;
  readonly kind: 'message' | 'button' | 'started';
  readonly text?: string | undefined;
  /** Of the button that was pressed. */
  readonly payload?: string | undefined;
  readonly sender?:
    | { readonly id?: string | undefined; readonly name?: string | undefined }
    | undefined;
  /** What the platform wants to be answered when a button was pressed. */
  readonly callbackId?: string | undefined;
  /** When the platform says that it happened. */
  readonly ts?: string | undefined;
}

export interface TakeUpdateRequest {
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly provider: string;
  readonly update: BotUpdate;
  readonly traceId: string;
}

/** Records an update, once. */
export async function takeBotUpdate(
  client: Queryable,
  request: TakeUpdateRequest,
  now?: string,
): Promise<TakenUpdate> {
  const { workspaceId, endpointId, provider, update, traceId } = request;
  const given = {
    chat_id: update.chatId,
    provider_message_id: update.providerMessageId,
    kind: update.kind,
    text: update.text,
    payload: update.payload,
    sender: update.sender,
    callback_id: update.callbackId,
    ts: update.ts,
  };
  return callForRow(client, {
    name: 'take_bot_update',
    args: at(now, [workspaceId, endpointId, provider, json(given), traceId]),
    row: TakenUpdate,
  });
}

/** An update that was recorded. */
export interface UpdateKey {
  readonly workspaceId: string;
  readonly provider: string;
  readonly chatId: string;
  readonly providerMessageId: string;
}

/** Does the bot's turn for a recorded update, once. */
export async function runBotTurn(
  client: Queryable,
  update: UpdateKey,
  now?: string,
): Promise<BotTurn> {
  return callForRow(client, {
    name: 'run_bot_turn',
    args: at(now, [update.workspaceId, update.provider, update.chatId, update.providerMessageId]),
    row: BotTurn,
  });
}

/** Counts that the turn of a chat's first update without one failed; the third time it is answered with the fallback. */
export async function failBotTurn(
  client: Queryable,
  request: {
    readonly workspaceId: string;
    readonly provider: string;
    readonly chatId: string;
    readonly error: string;
  },
  now?: string,
): Promise<FailedTurn | undefined> {
  const [failed] = await callFunction(client, {
    name: 'fail_bot_turn',
    args: at(now, [request.workspaceId, request.provider, request.chatId, request.error]),
    row: FailedTurn,
  });
  return failed;
}

/** Updates whose turn was not done because a process died before it. */
export async function pendingBotTurns(
  client: Queryable,
  limit: number,
  now?: string,
): Promise<UpdateKey[]> {
  return callFunction(client, {
    name: 'pending_bot_turns',
    args: at(now, [limit]),
    row: PendingTurn,
  });
}

/** Where a chat stands; what one decision answers is handed to the next. */
export type BotState = Readonly<Record<string, unknown>>;

export interface BotInput {
  readonly kind: 'message' | 'button' | 'started';
  readonly text?: string | undefined;
  readonly payload?: string | undefined;
  readonly sender?: { readonly name?: string | undefined } | undefined;
  readonly provider?: string | undefined;
}

export interface DecideRequest {
  readonly workspaceId: string;
  /** A new chat when missing. */
  readonly state?: BotState | undefined;
  readonly input: BotInput;
  /** Rules and settings as a configuration has them, instead of those of the workspace. */
  readonly document?:
    | {
        readonly bot_rules: Readonly<Record<string, unknown>>;
        readonly settings?: Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
}

/** What the bot would do; nothing is written. */
export async function decideBotTurn(
  client: Queryable,
  request: DecideRequest,
  now?: string,
): Promise<BotDecision> {
  const { workspaceId, state, input, document } = request;
  return callForValue(client, {
    name: 'decide_bot_turn',
    args: at(now, [
      workspaceId,
      state === undefined ? null : json(state),
      json(input),
      document === undefined ? null : json(document),
    ]),
    row: BotDecision,
  });
}

/** Hands the next replies of all bots to this sender. */
export async function claimBotReplies(
  client: Queryable,
  request: { readonly runId: string; readonly limit: number },
  now?: string,
): Promise<ClaimedReply[]> {
  return callFunction(client, {
    name: 'claim_bot_replies',
    args: at(now, [request.runId, request.limit]),
    row: ClaimedReply,
  });
}

/** Extends the leases of replies that are being sent; a reply that is missing in what comes back has lost its lease. */
export async function extendBotReplies(
  client: Queryable,
  request: {
    readonly workspaceId: string;
    readonly replyIds: readonly string[];
    readonly claimToken: string;
  },
  now?: string,
): Promise<ExtendedReply[]> {
  return callFunction(client, {
    name: 'extend_bot_replies',
    args: at(now, [request.workspaceId, request.replyIds, request.claimToken]),
    row: ExtendedReply,
  });
}

/** What became of the sending of a reply. */
export type ReplyOutcome = { readonly replyId: string; readonly claimToken: string } & (
  | { readonly ok: true; readonly providerMessageId: string }
  | { readonly ok: false; readonly error: GivenError }
);

/** Records what became of replies; one verdict for each. */
export async function commitBotReplies(
  client: Queryable,
  workspaceId: string,
  outcomes: readonly ReplyOutcome[],
  now?: string,
): Promise<ReplyVerdict[]> {
  return callFunction(client, {
    name: 'commit_bot_replies',
    args: at(now, [workspaceId, json(outcomes.map(replyOutcomeAsJson))]),
    row: ReplyVerdict,
  });
}

/** An outcome as commit_bot_replies takes it. */
export function replyOutcomeAsJson(outcome: ReplyOutcome): object {
  const held = { reply_id: outcome.replyId, claim_token: outcome.claimToken };
  if (outcome.ok) return { ...held, ok: true, provider_message_id: outcome.providerMessageId };
  return { ...held, ok: false, error: errorAsJson(outcome.error) };
}

/** Gives the replies of senders that are gone to others. */
export async function recoverBotReplies(
  client: Queryable,
  now?: string,
): Promise<RecoveredReply[]> {
  return callFunction(client, {
    name: 'recover_bot_replies',
    args: at(now, []),
    row: RecoveredReply,
  });
}

/** When the next reply will be due; null when none waits for a known time. */
export async function nextBotReplyAt(client: Queryable, now?: string): Promise<Date | null> {
  return callForValue(client, {
    name: 'next_bot_reply_at',
    args: at(now, []),
    row: time.nullable(),
  });
}

export interface ResumeOrder extends Order {
  readonly provider: string;
  readonly chatId: string;
}

/** Lets the bot answer again in a chat that was handed over to a person. */
export async function resumeBotChat(
  client: Queryable,
  order: ResumeOrder,
  now?: string,
): Promise<ResumedChat> {
  const { workspaceId, provider, chatId, dryRun, operator, reason } = order;
  return callForRow(client, {
    name: 'resume_bot_chat',
    args: at(now, [workspaceId, provider, chatId, dryRun ?? false, operator, reason]),
    row: ResumedChat,
  });
}

/** The chats of a workspace's bots, the latest first. */
export async function listBotChats(
  client: Queryable,
  filter: {
    readonly workspaceId: string;
    readonly handedOver?: boolean | undefined;
    /** Only chats with this id, whatever their platform. */
    readonly chatId?: string | undefined;
    readonly limit: number;
  },
  now?: string,
): Promise<ListedChat[]> {
  return callFunction(client, {
    name: 'list_bot_chats',
    args: at(now, [
      filter.workspaceId,
      filter.handedOver ?? null,
      filter.chatId ?? null,
      filter.limit,
    ]),
    row: ListedChat,
  });
}

export interface BotLogFilter {
  readonly workspaceId: string;
  readonly provider?: string | undefined;
  /** With its provider. */
  readonly chatId?: string | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
}

/** What the bots of a workspace did, the latest first. */
export async function listBotLogs(
  client: Queryable,
  filter: BotLogFilter,
  now?: string,
): Promise<BotLogEntry[]> {
  const { workspaceId, provider, chatId, actions, since, until, limit } = filter;
  return callFunction(client, {
    name: 'list_bot_logs',
    args: at(now, [
      workspaceId,
      provider ?? null,
      chatId ?? null,
      actions ?? null,
      since ?? null,
      until ?? null,
      limit,
    ]),
    row: BotLogEntry,
  });
}

/** What people wrote and no rule matched, grouped by its words. */
export async function unmatchedBotTexts(
  client: Queryable,
  request: {
    readonly workspaceId: string;
    readonly since?: string | undefined;
    readonly limit: number;
  },
  now?: string,
): Promise<UnmatchedTexts[]> {
  return callFunction(client, {
    name: 'unmatched_bot_texts',
    args: at(now, [request.workspaceId, request.since ?? null, request.limit]),
    row: UnmatchedTexts,
  });
}
