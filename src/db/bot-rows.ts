// Rows about bots: updates, turns, replies, chats and the record.

import { z } from 'zod';
import { exactTime, inIso, int8, int8InJson, time } from './columns.ts';

export const TakenUpdate = z
  .object({
    verdict: z.enum(['taken', 'repeated', 'ignored']),
    chat_id: z.string(),
    provider_message_id: z.string(),
    note: z.string().nullable(),
  })
  .transform((row) => ({
    verdict: row.verdict,
    chatId: row.chat_id,
    providerMessageId: row.provider_message_id,
    note: row.note,
  }));

export type TakenUpdate = z.output<typeof TakenUpdate>;

export const BotTurn = z
  .object({
    verdict: z.enum(['replied', 'silent', 'already_done', 'waiting']),
    reply_id: z.string().nullable(),
    rule_id: z.string().nullable(),
    rule_version: z.number().nullable(),
    state_before: z.string(),
    state_after: z.string(),
    why: z.string(),
  })
  .transform((row) => ({
    verdict: row.verdict,
    replyId: row.reply_id,
    ruleId: row.rule_id,
    ruleVersion: row.rule_version,
    stateBefore: row.state_before,
    stateAfter: row.state_after,
    why: row.why,
  }));

export type BotTurn = z.output<typeof BotTurn>;

export const FailedTurn = z
  .object({
    provider_message_id: z.string(),
    failures: z.number(),
    reply_id: z.string().nullable(),
  })
  .transform((row) => ({
    providerMessageId: row.provider_message_id,
    failures: row.failures,
    replyId: row.reply_id,
  }));

export type FailedTurn = z.output<typeof FailedTurn>;

export const PendingTurn = z
  .object({
    workspace_id: z.string(),
    provider: z.string(),
    chat_id: z.string(),
    provider_message_id: z.string(),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    provider: row.provider,
    chatId: row.chat_id,
    providerMessageId: row.provider_message_id,
  }));

const BotButton = z.union([
  z.strictObject({ text: z.string(), url: z.string() }),
  z.strictObject({ text: z.string(), payload: z.string() }),
]);

/** What the bot says: plain text, and rows of buttons. */
export const BotReply = z.object({
  text: z.string(),
  buttons: z.array(z.array(BotButton)).optional(),
});

export type BotButton = z.output<typeof BotButton>;

export type BotReply = z.output<typeof BotReply>;

export const BotDecision = z
  .object({
    verdict: z.enum(['replied', 'silent']),
    action: z.enum(['matched', 'asked_again', 'clarified', 'fell_back', 'escalated', 'silent']),
    rule_id: z.string().nullable(),
    version: z.number().nullable(),
    intent: z.string().nullable(),
    reply: BotReply.nullable(),
    escalate: z.boolean(),
    state_before: z.string(),
    state_after: z.string(),
    context_after: z.record(z.string(), z.unknown()),
    state: z.record(z.string(), z.unknown()),
    why: z.string(),
    next_best: z
      .object({ rule_id: z.string(), version: z.number(), why: z.string() })
      .transform((row) => ({ ruleId: row.rule_id, version: row.version, why: row.why }))
      .nullable(),
  })
  .transform((row) => ({
    verdict: row.verdict,
    action: row.action,
    ruleId: row.rule_id,
    version: row.version,
    intent: row.intent,
    reply: row.reply,
    escalate: row.escalate,
    stateBefore: row.state_before,
    stateAfter: row.state_after,
    contextAfter: row.context_after,
    state: row.state,
    why: row.why,
    nextBest: row.next_best,
  }));

export type BotDecision = z.output<typeof BotDecision>;

/** A row of claimBotReplies, also as JSON: from another sender that claimed it. */
export const ClaimedReply = z
  .object({
    workspace_id: z.string(),
    reply_id: z.string(),
    claim_token: z.string(),
    lease_ms: int8InJson,
    attempt: z.number(),
    outcome_unknown: z.boolean(),
    platform: z.string(),
    chat_id: z.string(),
    auth_ref: z.string(),
    secret_ref: z.string().nullable(),
    rate_group: z.string(),
    reply: BotReply.partial({ text: true }),
    callback_id: z.string().nullable(),
    trace_id: z.string(),
    previous_message_id: z.string().nullable(),
    wait_ms: z.number(),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    replyId: row.reply_id,
    claimToken: row.claim_token,
    leaseMs: row.lease_ms,
    attempt: row.attempt,
    outcomeUnknown: row.outcome_unknown,
    platform: row.platform,
    chatId: row.chat_id,
    authRef: row.auth_ref,
    secretRef: row.secret_ref,
    rateGroup: row.rate_group,
    /** Without a text nothing is said: the platform is only told that its button was heard. */
    reply: row.reply,
    callbackId: row.callback_id,
    traceId: row.trace_id,
    /** The reply before it in the chat; only where an earlier attempt may have arrived. */
    previousMessageId: row.previous_message_id,
    waitMs: row.wait_ms,
  }));

/** All that the sending of a reply needs. */
export type ClaimedReply = z.output<typeof ClaimedReply>;

export const ExtendedReply = z
  .object({ reply_id: z.string(), lease_ms: int8 })
  .transform((row) => ({ replyId: row.reply_id, leaseMs: row.lease_ms }));

export type ExtendedReply = z.output<typeof ExtendedReply>;

export const ReplyVerdict = z
  .object({
    reply_id: z.string(),
    became: z.enum(['sent', 'waiting', 'failed', 'dead']).nullable(),
    due_at: exactTime.nullable(),
    note: z.string().nullable(),
  })
  .transform((row) => ({
    replyId: row.reply_id,
    became: row.became,
    dueAt: row.due_at,
    note: row.note,
  }));

/** `became` is null when the commit was stale; `note` says why. */
export type ReplyVerdict = z.output<typeof ReplyVerdict>;

export const RecoveredReply = z
  .object({
    workspace_id: z.string(),
    reply_id: z.string(),
    became: z.enum(['waiting', 'dead']),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    replyId: row.reply_id,
    became: row.became,
  }));

export type RecoveredReply = z.output<typeof RecoveredReply>;

export const ResumedChat = z
  .object({
    provider: z.string(),
    chat_id: z.string(),
    resumed: z.boolean(),
    note: z.string().nullable(),
  })
  .transform((row) => ({
    provider: row.provider,
    chatId: row.chat_id,
    resumed: row.resumed,
    note: row.note,
  }));

export type ResumedChat = z.output<typeof ResumedChat>;

export const ListedChat = z
  .object({
    provider: z.string(),
    chat_id: z.string(),
    state: z.string(),
    context: z.record(z.string(), z.unknown()),
    opened_by: z.string().nullable(),
    expires_at: time.nullable(),
    handed_over_at: time.nullable(),
    // It may be infinity: until somebody resumes the chat.
    handed_over_until: exactTime
      .transform((until) => (until === 'infinity' ? until : inIso(until)))
      .nullable(),
    updated_at: time,
    waiting_replies: int8,
  })
  .transform((row) => ({
    provider: row.provider,
    chatId: row.chat_id,
    state: row.state,
    context: row.context,
    openedBy: row.opened_by,
    expiresAt: row.expires_at,
    handedOverAt: row.handed_over_at,
    handedOverUntil: row.handed_over_until,
    updatedAt: row.updated_at,
    waitingReplies: row.waiting_replies,
  }));

export type ListedChat = z.output<typeof ListedChat>;

export const BotLogEntry = z
  .object({
    ts: time,
    provider: z.string(),
    chat_id: z.string(),
    action: z.string(),
    message_text: z.string().nullable(),
    matched_rule_id: z.string().nullable(),
    rule_version: z.number().nullable(),
    state_before: z.string(),
    state_after: z.string(),
    response_preview: z.string().nullable(),
    reply_id: z.string().nullable(),
    reply_status: z.string().nullable(),
    meta: z.record(z.string(), z.unknown()),
  })
  .transform((row) => ({
    ts: row.ts,
    provider: row.provider,
    chatId: row.chat_id,
    action: row.action,
    messageText: row.message_text,
    ruleId: row.matched_rule_id,
    ruleVersion: row.rule_version,
    stateBefore: row.state_before,
    stateAfter: row.state_after,
    responsePreview: row.response_preview,
    replyId: row.reply_id,
    replyStatus: row.reply_status,
    meta: row.meta,
  }));

export type BotLogEntry = z.output<typeof BotLogEntry>;

export const UnmatchedTexts = z
  .object({
    example: z.string(),
    texts: z.array(z.string()),
    count: int8,
    chats: int8,
    last_at: time,
  })
  .transform((row) => ({
    example: row.example,
    texts: row.texts,
    count: row.count,
    chats: row.chats,
    lastAt: row.last_at,
  }));

export type UnmatchedTexts = z.output<typeof UnmatchedTexts>;
