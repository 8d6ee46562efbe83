// What exists on the simulated MAX: bots, people, chats, messages, uploads.

import type { Clock } from '../clock.ts';
import type { MediaView, SimulatorContext } from '../simulator.ts';
import type { Json } from './json.ts';
import type { Button } from './keyboard.ts';
import type { MarkedText } from './markup.ts';
import { createSequence } from './mid.ts';
import { defaultSettings, type Settings } from './settings.ts';
import type { Upload } from './upload-store.ts';

export interface Person {
  readonly userId: number;
  readonly firstName: string;
  readonly lastName?: string | undefined;
  readonly username?: string | undefined;
  readonly isBot: boolean;
}

export interface Bot extends Person {
  readonly isBot: true;
  readonly token: string;
  readonly description?: string | undefined;
  commands: readonly Json[];
  /** The token was withdrawn. */
  revoked: boolean;
  /** The account is blocked by MAX. */
  blocked: boolean;
  /** Has passed moderation; without it every dialog counts as suspended. */
  published: boolean;
}

export interface Member {
  readonly admin: boolean;
  readonly joined: number;
}

export type ChatType = 'dialog' | 'chat' | 'channel';

export interface Chat {
  readonly chatId: number;
  readonly type: ChatType;
  title: string;
  description?: string | undefined;
  /** The public name of a channel. */
  readonly link?: string | undefined;
  /** Users and bots. */
  readonly members: Map<number, Member>;
  /** The user of a dialog has stopped the bot. */
  suspended: boolean;
  /** The mid of the pinned message. */
  pinned?: string | undefined;
  lastEvent: number;
  /** By mid, in the order of sending; deleted ones are gone. */
  readonly posts: Map<string, Message>;
}

/** As MAX gives it back, and as a person sees it. */
export interface Attachment {
  readonly json: Json;
  readonly media?: MediaView;
}

export interface Keyboard {
  readonly callbackId: string;
  readonly rows: readonly (readonly Button[])[];
}

export interface MessageLink {
  readonly type: 'reply' | 'forward';
  readonly message: Message;
}

export interface Message {
  readonly mid: string;
  readonly seq: bigint;
  readonly chatId: number;
  readonly senderId: number;
  readonly timestamp: number;
  readonly link?: MessageLink | undefined;
  content: MarkedText;
  attachments: readonly Attachment[];
  keyboard?: Keyboard | undefined;
  editedAt?: number | undefined;
}

/** A press of a button that the bot may answer. */
export interface Callback {
  readonly mid: string;
  readonly botId: number;
  readonly userId: number;
}

/** A notification that an answer to a callback has shown. */
export interface Notification {
  readonly userId: number;
  readonly text: string;
}

export interface World {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly makesChats: boolean;
  readonly report: SimulatorContext['report'];
  readonly settings: Settings;
  readonly bots: Map<number, Bot>;
  readonly users: Map<number, Person>;
  readonly chats: Map<number, Chat>;
  /** By bot and user. */
  readonly dialogs: Map<string, Chat>;
  /** By mid. */
  readonly messages: Map<string, Message>;
  /** By the id in the upload address, and by token. */
  readonly uploads: Map<string, Upload>;
  readonly callbacks: Map<string, Callback>;
  readonly notifications: Notification[];
  readonly nextSeq: (now: number) => bigint;
}

export function createWorld({ clock, baseUrl, makesChats, report }: SimulatorContext): World {
  return {
    clock,
    baseUrl,
    makesChats,
    report,
    settings: { ...defaultSettings },
    bots: new Map(),
    users: new Map(),
    chats: new Map(),
    dialogs: new Map(),
    messages: new Map(),
    uploads: new Map(),
    callbacks: new Map(),
    notifications: [],
    nextSeq: createSequence(),
  };
}

export function personOf(world: World, userId: number): Person | undefined {
  return world.users.get(userId) ?? world.bots.get(userId);
}

export function addChat(world: World, chat: Chat): void {
  world.chats.set(chat.chatId, chat);
  if (chat.type !== 'dialog') return;
  const [first, second] = [...chat.members.keys()];
  world.dialogs.set(`${first}:${second}`, chat);
}

/** Dialogs are kept under the id of the bot, then that of the user. */
export function dialogOf(world: World, botId: number, userId: number): Chat | undefined {
  return world.dialogs.get(`${botId}:${userId}`);
}

export function addMessage(world: World, chat: Chat, message: Message): void {
  world.messages.set(message.mid, message);
  chat.posts.set(message.mid, message);
  chat.lastEvent = message.timestamp;
}

export function removeMessage(world: World, chat: Chat, message: Message): void {
  world.messages.delete(message.mid);
  chat.posts.delete(message.mid);
  if (chat.pinned === message.mid) chat.pinned = undefined;
}

/** The person that a bot talks to in a dialog. */
export function partnerOf(world: World, chat: Chat): Person | undefined {
  const userId = [...chat.members.keys()].find((member) => world.users.has(member));
  return userId === undefined ? undefined : world.users.get(userId);
}

export function fullName(person: Person): string {
  return [person.firstName, person.lastName].filter((part) => part !== undefined).join(' ');
}
