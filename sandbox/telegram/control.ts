// The orders of the control API: POST /control/telegram/<name>.

import { z } from 'zod';
import { lookUpChat } from './chats.ts';
import { migrate, personOf, press, say, setMembership } from './incoming.ts';
import type { Bot, Chat, ChatType, World } from './world.ts';
import { addChat, membershipOf } from './world.ts';

const ChatName = z.union([z.int(), z.string().min(1)]).transform(String);
const Kind = z.enum(['text', 'photo', 'video', 'document', 'animation', 'audio', 'voice']);
const Span = z.strictObject({ calls: z.int().positive(), ms: z.int().positive() }).nullable();
const Person = z.strictObject({
  id: z.int().positive(),
  first_name: z.string().default('User'),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const BotOrder = z.strictObject({
  token: z.string().regex(/^[1-9]\d{0,14}:[\w-]{1,64}$/, 'a token looks like 123:secret'),
  username: z.string().optional(),
  first_name: z.string().default('Bot'),
});
const RevokeOrder = z.strictObject({ token: z.string(), revoked: z.boolean().default(true) });
const ChatOrder = z.strictObject({
  id: z.int(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  topics: z.record(z.string().regex(/^\d+$/), z.enum(['open', 'closed'])).default({}),
});
const StateOrder = z.strictObject({
  chat: ChatName,
  state: z.enum(['active', 'deleted', 'deactivated', 'unknown']),
});
const MemberOrder = z.strictObject({
  chat: ChatName,
  bot: z.string().optional(),
  status: z.enum(['creator', 'administrator', 'member', 'restricted', 'left', 'kicked']).optional(),
  denied: z.array(Kind).optional(),
  refuse: z.string().nullable().optional(),
  can_delete: z.boolean().optional(),
});
const MigrateOrder = z.strictObject({ chat: ChatName, to: z.int().negative().optional() });
const LimitsOrder = z.strictObject({
  chat: Span.optional(),
  group: Span.optional(),
  bot: Span.optional(),
});
const SettingsOrder = z.strictObject({
  self_hosted: z.boolean().optional(),
  strict_webhooks: z.boolean().optional(),
});
const SayOrder = z.strictObject({
  chat: ChatName,
  text: z.string().min(1),
  from: Person.optional(),
});
const PressOrder = z.strictObject({
  chat: ChatName,
  message_id: z.int().positive(),
  /** The text of the button, or its data. */
  button: z.string().min(1),
  from: Person.optional(),
});
const AddressOrder = z.strictObject({ url: z.string(), refuse: z.string().nullable() });
const AlbumOrder = z.strictObject({
  chat: ChatName,
  accept: z.int().nonnegative(),
  error: z.string().default('Group send failed'),
});

export interface Control {
  readonly world: World;
  addBot(token: string, names: { username: string; first_name: string }): Bot;
}

type Order = (control: Control, body: unknown) => unknown;

const orders: Readonly<Record<string, Order>> = {
  bots(control, body) {
    const { token, username, first_name } = BotOrder.parse(body);
    const id = token.split(':', 1)[0];
    return control.addBot(token, { username: username ?? `sandbox${id}_bot`, first_name }).user;
  },
  revoke({ world }, body) {
    const { token, revoked } = RevokeOrder.parse(body);
    requireBot(world, token).revoked = revoked;
    return { revoked };
  },
  chats({ world }, body) {
    const { topics, first_name: firstName, last_name: lastName, ...rest } = ChatOrder.parse(body);
    checkId(rest.id, rest.type);
    const doors = Object.entries(topics).map(([id, door]) => [Number(id), door] as const);
    return { id: addChat(world, { ...rest, firstName, lastName, topics: doors }).id };
  },
  state({ world }, body) {
    const { chat, state } = StateOrder.parse(body);
    requireKnownChat(world, chat).state = state;
    return { state };
  },
  members({ world }, body) {
    const order = MemberOrder.parse(body);
    const chat = requireKnownChat(world, order.chat);
    const bots =
      order.bot === undefined ? [...world.bots.values()] : [requireBot(world, order.bot)];
    for (const bot of bots) {
      const { status, denied, refuse, canDelete } = membershipOf(chat, bot);
      setMembership(world, chat, bot, {
        status: order.status ?? status,
        denied: order.denied ?? denied,
        refuse: order.refuse === undefined ? refuse : (order.refuse ?? undefined),
        canDelete: order.can_delete ?? canDelete,
      });
    }
    return { bots: bots.map((bot) => bot.user.id) };
  },
  migrate({ world }, body) {
    const { chat, to } = MigrateOrder.parse(body);
    return { id: migrate(world, requireKnownChat(world, chat), to).id };
  },
  limits({ world }, body) {
    const given = LimitsOrder.parse(body);
    const { limits } = world;
    const choose = (name: 'chat' | 'group' | 'bot') =>
      given[name] === undefined ? limits[name] : (given[name] ?? undefined);
    world.limits = { chat: choose('chat'), group: choose('group'), bot: choose('bot') };
    world.flood.clear();
    return world.limits;
  },
  settings({ world }, body) {
    const { self_hosted, strict_webhooks } = SettingsOrder.parse(body);
    world.settings = {
      selfHosted: self_hosted ?? world.settings.selfHosted,
      strictWebhooks: strict_webhooks ?? world.settings.strictWebhooks,
    };
    return world.settings;
  },
  say({ world }, body) {
    const { chat: name, text, from } = SayOrder.parse(body);
    const chat = requireKnownChat(world, name);
    return { message_id: say(world, chat, personFrom(from, chat), text).id };
  },
  press({ world }, body) {
    const order = PressOrder.parse(body);
    const chat = requireKnownChat(world, order.chat);
    const message = chat.messages.get(order.message_id);
    if (message === undefined) throw new Error('There is no such message.');
    const button = message.keyboard
      ?.flat()
      .find((each) => each.text === order.button || each.callback_data === order.button);
    if (button?.callback_data === undefined) {
      throw new Error('The message has no such button with callback_data.');
    }
    const id = press(world, message, personFrom(order.from, chat), button.callback_data);
    return { callback_query_id: id };
  },
  addresses({ world }, body) {
    const { url, refuse } = AddressOrder.parse(body);
    if (refuse === null) world.unfetchable.delete(url);
    else world.unfetchable.set(url, refuse);
    return { url };
  },
  albums({ world }, body) {
    const { chat, accept, error } = AlbumOrder.parse(body);
    world.albumAccidents.set(requireKnownChat(world, chat).id, { accept, error });
    return { accept };
  },
};

export function obey(control: Control, name: string, body: unknown): unknown {
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined;
  if (order === undefined) {
    throw new Error(`There is no order "${name}"; there are ${Object.keys(orders).join(', ')}.`);
  }
  return order(control, body);
}

function requireBot(world: World, token: string): Bot {
  const bot = world.bots.get(token);
  if (bot === undefined) throw new Error('There is no bot with that token.');
  return bot;
}

function requireKnownChat(world: World, name: string): Chat {
  const chat = lookUpChat(world, name);
  if (chat === undefined) throw new Error(`There is no chat ${name}.`);
  return chat;
}

/** The number of a chat tells its type; clients rely on that. */
function checkId(id: number, type: ChatType): void {
  const fits =
    type === 'private'
      ? id > 0
      : type === 'group'
        ? id < 0 && id > -1_000_000_000_000
        : id <= -1_000_000_000_000;
  if (!fits)
    throw new Error(
      `${id} cannot be the id of a ${type}: users are positive, groups negative, supergroups and channels -100….`,
    );
}

function personFrom(given: z.infer<typeof Person> | undefined, chat: Chat) {
  if (given === undefined) return personOf(chat);
  const { id, first_name, last_name, username } = given;
  return {
    id,
    is_bot: false,
    first_name,
    ...(last_name !== undefined && { last_name }),
    ...(username !== undefined && { username }),
  };
}
