// What the simulator knows: bots, chats, and their messages.

import type { Clock } from '../clock.ts';
import type { FloodControl, FloodWindow } from '../flood.ts';
import type { SimulatorContext } from '../simulator.ts';
import type { FormattedText } from './entities.ts';
import type { FileStore, StoredFile } from './files.ts';
import type { Keyboard } from './keyboard.ts';
import type { UpdateQueue } from './updates.ts';
import type { Webhook } from './webhooks.ts';

export interface User {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly last_name?: string;
  readonly username?: string;
}

export interface Bot {
  readonly token: string;
  readonly user: User;
  revoked: boolean;
  readonly updates: UpdateQueue;
  readonly webhook: Webhook;
}

export type ChatType = 'private' | 'group' | 'supergroup' | 'channel';

/** In a private chat: `member` has pressed Start, `kicked` has blocked the bot, `left` never wrote to it. */
export type MemberStatus =
  | 'creator'
  | 'administrator'
  | 'member'
  | 'restricted'
  | 'left'
  | 'kicked';

export type MessageKind = 'text' | MediaKind;
export type MediaKind = 'photo' | 'video' | 'document' | 'animation' | 'audio' | 'voice';

export interface Membership {
  readonly status: MemberStatus;
  /** Kinds of messages that the bot may not send. */
  readonly denied: readonly MessageKind[];
  /** What the core says to every message of the bot, such as CHAT_WRITE_FORBIDDEN. */
  readonly refuse?: string | undefined;
  readonly canDelete: boolean;
}

export interface Chat {
  readonly id: number;
  readonly type: ChatType;
  readonly title?: string | undefined;
  readonly username?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  /** Deactivated and unknown are states of the user in a private chat. */
  state: 'active' | 'deleted' | 'deactivated' | 'unknown';
  migratedTo?: number;
  readonly members: Map<number, Membership>;
  /** By message_thread_id. */
  readonly topics: Map<number, 'open' | 'closed'>;
  readonly messages: Map<number, Message>;
  /** Numbers of deleted messages are not used again. */
  lastMessageId: number;
}

/** What an order says about a new chat. */
export type NewChat = Pick<
  Chat,
  'id' | 'type' | 'title' | 'username' | 'firstName' | 'lastName'
> & { readonly topics?: Iterable<readonly [number, 'open' | 'closed']> };

export interface TextContent {
  readonly kind: 'text';
  readonly body: FormattedText;
  readonly linkPreview?: object;
}

export interface MediaContent {
  readonly kind: MediaKind;
  readonly file: StoredFile;
  /** The caption. */
  readonly body: FormattedText;
  readonly spoiler: boolean;
  readonly above: boolean;
  /** width, height, duration, title, performer as given. */
  readonly facts: Readonly<Record<string, string | number>>;
}

export interface ServiceContent {
  readonly kind: 'service';
  readonly fields: object;
}

export type Content = TextContent | MediaContent | ServiceContent;

export interface Message {
  readonly id: number;
  readonly chat: Chat;
  readonly from: User;
  readonly date: number;
  readonly content: Content;
  readonly editDate?: number;
  readonly keyboard?: Keyboard | undefined;
  readonly album?: string;
  readonly thread?: number | undefined;
  readonly replyTo?: number | undefined;
}

export interface Limits {
  readonly chat: Span | undefined;
  readonly group: Span | undefined;
  readonly bot: Span | undefined;
}

type Span = Pick<FloodWindow, 'calls' | 'ms'>;

export interface World {
  readonly clock: Clock;
  readonly bots: Map<string, Bot>;
  readonly chats: Map<number, Chat>;
  readonly files: FileStore;
  readonly flood: FloodControl;
  readonly callbacks: Map<string, { readonly bot: Bot; readonly expires: number }>;
  /** What the core says to a media address. All other addresses can be fetched. */
  readonly unfetchable: Map<string, string>;
  /** Albums of a chat that the core will take only in part. */
  readonly albumAccidents: Map<number, { readonly accept: number; readonly error: string }>;
  limits: Limits;
  settings: { readonly selfHosted: boolean; readonly strictWebhooks: boolean };
  readonly makesChats: boolean;
  readonly report: SimulatorContext['report'];
  /** For everything that needs a fresh number. */
  nextSerial(): number;
}

export const defaultLimits: Limits = {
  chat: { calls: 3, ms: 3000 },
  group: { calls: 20, ms: 60_000 },
  bot: { calls: 30, ms: 1000 },
};

export function unixTime(world: World): number {
  return Math.floor(world.clock.now() / 1000);
}

/** The bot's membership of the chat: administrator of a channel, member of others, unless an order said otherwise. */
export function membershipOf(chat: Chat, bot: Bot): Membership {
  const status = chat.type === 'channel' ? 'administrator' : 'member';
  return chat.members.get(bot.user.id) ?? { status, denied: [], canDelete: status !== 'member' };
}

export function addChat(world: World, chat: NewChat): Chat {
  const added: Chat = {
    ...chat,
    state: 'active',
    members: new Map(),
    topics: new Map(chat.topics),
    messages: new Map(),
    lastMessageId: 0,
  };
  world.chats.set(chat.id, added);
  return added;
}

export function addMessage(world: World, message: Omit<Message, 'id' | 'date'>): Message {
  const { chat } = message;
  // Groups and private chats share one series of numbers; each supergroup and channel has its own.
  const own = chat.type === 'supergroup' || chat.type === 'channel';
  const id = own ? chat.lastMessageId + 1 : world.nextSerial();
  chat.lastMessageId = id;
  const stored = { ...message, id, date: unixTime(world) };
  chat.messages.set(id, stored);
  return stored;
}
