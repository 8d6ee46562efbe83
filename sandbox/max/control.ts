// The orders of the control API: add bots, people and chats, act as people, change the limits.

import { z } from 'zod';
import { editAsUser, pressButton, removeAsUser, startBot, stopBot, writeAsUser } from './acts.ts';
import type { Events } from './events.ts';
import { addBot, addDialog, addGroup, addUser, findBot, setMembership } from './population.ts';
import type { World } from './world.ts';

/** By token or user id; when missing, the only bot that there is. */
const bot = z.union([z.string(), z.int()]).optional();
const userId = z.int().positive();
const chatId = z.int();
const mid = z.string();

const BotBody = z.strictObject({
  token: z.string().min(1),
  user_id: userId.optional(),
  first_name: z.string().default('Bot'),
  username: z.string().optional(),
  description: z.string().optional(),
  revoked: z.boolean().default(false),
  blocked: z.boolean().default(false),
  published: z.boolean().default(true),
});
const UserBody = z.strictObject({
  user_id: userId.optional(),
  first_name: z.string().default('User'),
  last_name: z.string().optional(),
  username: z.string().optional(),
});
const ChatBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('dialog'),
    chat_id: chatId.positive().optional(),
    bot,
    user_id: userId,
  }),
  z.strictObject({
    type: z.enum(['chat', 'channel']),
    chat_id: chatId.negative().optional(),
    bot,
    title: z.string().default('Chat'),
    description: z.string().optional(),
    link: z.string().optional(),
    admin: z.boolean().default(true),
  }),
]);
const MembershipBody = z.strictObject({
  chat_id: chatId,
  bot,
  user_id: userId,
  member: z.boolean().default(true),
  admin: z.boolean().default(true),
});
const StartBody = z.strictObject({ bot, user_id: userId, payload: z.string().optional() });
const StopBody = z.strictObject({ bot, user_id: userId });
const WriteBody = z.strictObject({
  chat_id: chatId.optional(),
  bot,
  user_id: userId,
  text: z.string(),
  reply_to: mid.optional(),
});
const EditBody = z.strictObject({ message_id: mid, text: z.string() });
const RemoveBody = z.strictObject({ message_id: mid, user_id: userId });
const PressBody = z.strictObject({ message_id: mid, user_id: userId, payload: z.string() });
const LimitsBody = z.strictObject({
  messages_per_second: z.number().positive().optional(),
  requests_per_second: z.number().positive().optional(),
  not_ready_sends: z.int().nonnegative().optional(),
  attachments_max: z.int().positive().optional(),
  event_copies: z.int().positive().optional(),
  local_webhooks: z.boolean().optional(),
});
const RepeatBody = z.strictObject({ bot, count: z.int().positive().default(1) });

export function createControl(
  world: World,
  events: Events,
): (name: string, body: unknown) => unknown {
  const orders: Readonly<Record<string, (body: unknown) => unknown>> = {
    /** An order with a known token changes that bot. */
    bots: (body) => addBot(world, BotBody.parse(body)),
    users: (body) => addUser(world, UserBody.parse(body)),
    chats(body) {
      const wanted = ChatBody.parse(body);
      if (wanted.type !== 'dialog') return addGroup(world, wanted, findBot(world, wanted.bot));
      return addDialog(world, findBot(world, wanted.bot), wanted.user_id, wanted.chat_id);
    },
    /** A person adds the bot to a chat, removes it, or changes whether it is an admin. */
    membership: (body) => setMembership(world, events, MembershipBody.parse(body)),
    start: (body) => startBot(world, events, StartBody.parse(body)),
    stop: (body) => stopBot(world, events, StopBody.parse(body)),
    write: (body) => writeAsUser(world, events, WriteBody.parse(body)),
    edit: (body) => editAsUser(world, events, EditBody.parse(body)),
    remove: (body) => removeAsUser(world, events, RemoveBody.parse(body)),
    press: (body) => pressButton(world, events, PressBody.parse(body)),
    limits: (body) => changeLimits(world, LimitsBody.parse(body)),
    /** The last events arrive again. */
    repeat(body) {
      const { bot: named, count } = RepeatBody.parse(body);
      return { repeated: events.repeat(findBot(world, named), count) };
    },
    /** The notifications that answers to callbacks have shown. */
    notifications: () =>
      world.notifications.map(({ userId: user, text }) => ({ user_id: user, text })),
  };
  return (name, body) => {
    const order = Object.hasOwn(orders, name) ? orders[name] : undefined;
    if (order === undefined) {
      throw new Error(`MAX has no "${name}"; there are ${Object.keys(orders).join(', ')}.`);
    }
    return order(body);
  };
}

/** Limits that the order does not name stay as they are. */
function changeLimits(world: World, body: z.infer<typeof LimitsBody>): unknown {
  const { settings } = world;
  settings.messagesPerSecond = body.messages_per_second ?? settings.messagesPerSecond;
  settings.requestsPerSecond = body.requests_per_second ?? settings.requestsPerSecond;
  settings.notReadySends = body.not_ready_sends ?? settings.notReadySends;
  settings.attachmentsMax = body.attachments_max ?? settings.attachmentsMax;
  settings.eventCopies = body.event_copies ?? settings.eventCopies;
  settings.localWebhooks = body.local_webhooks ?? settings.localWebhooks;
  return { ...settings };
}
