// Brings events to a bot: by its webhooks or, while it has none, by long polling.

import type { SimulatorContext } from '../simulator.ts';
import type { Json } from './json.ts';
import { createQueue, type Queue, type Update } from './updates.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';
import type { Bot, Chat, World } from './world.ts';

export interface Inbox {
  readonly queue: Queue;
  readonly webhooks: Webhooks;
  /** Newest last. */
  readonly past: Update[];
}

export interface Events {
  inbox(bot: Bot): Inbox;
  /** Tells one bot. */
  tell(bot: Bot, type: string, fields: Record<string, Json>): void;
  /** Tells the bots of a chat; in chats and channels only admins hear anything. */
  tellChat(chat: Chat, type: string, fields: Record<string, Json>): void;
  /** Sends the last events again, as MAX says it may. */
  repeat(bot: Bot, count: number): number;
}

export function createEvents(world: World, context: SimulatorContext): Events {
  const inboxes = new Map<number, Inbox>();

  function inbox(bot: Bot): Inbox {
    const known = inboxes.get(bot.userId);
    if (known !== undefined) return known;
    const webhooks = createWebhooks(context);
    const queue = createQueue(world.clock, () => webhooks.list().length > 0);
    const opened = { queue, webhooks, past: [] };
    inboxes.set(bot.userId, opened);
    return opened;
  }

  function pass(bot: Bot, update: Update): void {
    const { queue, webhooks } = inbox(bot);
    if (webhooks.list().length > 0) webhooks.deliver(update);
    else queue.push(update);
  }

  function tell(bot: Bot, type: string, fields: Record<string, Json>): void {
    const json = { timestamp: world.clock.now(), ...fields, update_type: type };
    const { past } = inbox(bot);
    past.push({ type, json });
    if (past.length > 100) past.shift();
    for (let copy = 0; copy < world.settings.eventCopies; copy += 1) pass(bot, { type, json });
  }

  return {
    inbox,
    tell,
    tellChat(chat, type, fields) {
      for (const [userId, member] of chat.members) {
        const bot = world.bots.get(userId);
        if (bot !== undefined && (chat.type === 'dialog' || member.admin)) tell(bot, type, fields);
      }
    },
    repeat(bot, count) {
      const again = inbox(bot).past.slice(-count);
      for (const update of again) pass(bot, update);
      return again.length;
    },
  };
}
