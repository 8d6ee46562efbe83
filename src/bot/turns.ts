// Does the bot's turns for updates that were recorded. The turns of a chat are done one after the other: in the database
// they wait for one another, and a turn that waits would hold a connection.
//
// Workspaces take turns, and none has all places: turns that take long delay the workspace whose rules they are of.

import { type BotTurn, failBotTurn, runBotTurn, type UpdateKey } from '../db/bot.ts';
import type { Queryable } from '../db/pool.ts';
import { DatabaseBusyError, DatabaseFaultError, InvalidInputError } from '../errors.ts';
import type { Log } from '../log.ts';

export interface TurnsOptions {
  readonly client: Queryable;
  readonly log: Log;
  /** The most turns at once. */
  readonly atOnce: number;
  /** Called when a turn has left a reply to send. */
  readonly onReply: () => void;
}

export interface Turns {
  /** A turn that cannot be done now is left to those who look for such updates. */
  add(update: UpdateKey): void;
  /** Waits for the turns that were added. */
  idle(): Promise<void>;
}

/** The chats of a workspace. */
interface Line {
  /** Chats that have updates waiting and no turn under way, in order. */
  readonly ready: string[];
  underWay: number;
}

export function createTurns({ client, log, atOnce, onReply }: TurnsOptions): Turns {
  const waiting = new Map<string, UpdateKey[]>();
  /** By workspace; the first one that can has the next turn. */
  const lines = new Map<string, Line>();
  const share = Math.ceil(atOnce / 2);
  const underWay = new Set<string>();
  let idle: PromiseWithResolvers<void> | undefined;

  function startNext(): void {
    while (underWay.size < atOnce) {
      const next = nextChat();
      if (next === undefined) break;
      underWay.add(next.chat);
      void run(next.workspaceId, next.chat);
    }
    if (underWay.size === 0) idle?.resolve();
  }

  function nextChat(): { readonly workspaceId: string; readonly chat: string } | undefined {
    for (const [workspaceId, line] of lines) {
      const chat = line.underWay < share ? line.ready.shift() : undefined;
      if (chat === undefined) continue;
      line.underWay += 1;
      lines.delete(workspaceId);
      lines.set(workspaceId, line);
      return { workspaceId, chat };
    }
    return undefined;
  }

  function lineOf(workspaceId: string): Line {
    const line = lines.get(workspaceId) ?? { ready: [], underWay: 0 };
    lines.set(workspaceId, line);
    return line;
  }

  async function run(workspaceId: string, chat: string): Promise<void> {
    const updates = waiting.get(chat) ?? [];
    const update = updates.shift();
    if (update !== undefined) await turn(update);
    underWay.delete(chat);
    const line = lineOf(workspaceId);
    line.underWay -= 1;
    if (updates.length > 0) line.ready.push(chat);
    else waiting.delete(chat);
    if (line.underWay === 0 && line.ready.length === 0) lines.delete(workspaceId);
    startNext();
  }

  async function turn(update: UpdateKey): Promise<void> {
    const facts = { workspace_id: update.workspaceId, platform: update.provider };
    try {
      let done: BotTurn;
      do {
        done = await runBotTurn(client, update);
        const { verdict, ruleId: rule_id, ruleVersion: rule_version, replyId: reply_id } = done;
        log.debug('turn', { ...facts, verdict, rule_id, rule_version, reply_id });
        if (reply_id !== null) onReply();
      } while (done.verdict === 'waiting');
    } catch (error) {
      log.warn('a turn of the bot was not done; it is tried again', {
        ...facts,
        error: String(error),
      });
      if (isOwnFault(error)) await fail(update, String(error).slice(0, 1000));
    }
  }

  async function fail(update: UpdateKey, error: string): Promise<void> {
    try {
      const failed = await failBotTurn(client, { ...update, error });
      if (typeof failed?.replyId === 'string') onReply();
    } catch (second) {
      log.warn('the failure of a turn could not be counted', {
        workspace_id: update.workspaceId,
        platform: update.provider,
        error: String(second),
      });
    }
  }

  return {
    add(update) {
      const chat = JSON.stringify([update.workspaceId, update.provider, update.chatId]);
      const before = waiting.get(chat);
      if (before !== undefined) {
        before.push(update);
        return;
      }
      waiting.set(chat, [update]);
      lineOf(update.workspaceId).ready.push(chat);
      startNext();
    },
    async idle() {
      if (underWay.size === 0) return;
      idle ??= Promise.withResolvers();
      await idle.promise;
      idle = undefined;
    },
  };
}

/** Whether the turn itself is at fault, and not a lock, a deadlock or a database that is away. */
function isOwnFault(error: unknown): boolean {
  if (error instanceof DatabaseBusyError) return error.sqlstate === '57014';
  return error instanceof DatabaseFaultError || error instanceof InvalidInputError;
}
