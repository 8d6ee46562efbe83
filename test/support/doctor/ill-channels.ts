// Channels with one thing wrong with each, and what the sandbox is told about their chats.

import type { Platform } from '../sandbox/three-platforms.ts';

/** Besides those of the sandbox's senders. */
export const tokens = {
  revoked: '4300:AArevoked-token_of-nobody-N0bodyN0body',
  weak: 'vk1.a.token-without-the-right-wall',
  community: 'vk1.a.token-of-a-community-itself',
};
export interface Chat {
  readonly platform: Platform;
  /** What the sandbox is told about the chat; none: there is no such chat. */
  readonly order?: (id: number) => readonly (readonly [name: string, body: object])[];
  readonly columns?: Readonly<Record<string, unknown>>;
}

export const channel = (id: number) => ['chats', { id, type: 'channel', title: 'News' }] as const;
const group = (id: number) => ['chats', { id, type: 'supergroup', title: 'Town' }] as const;
export const maxChat = (chat_id: number, admin = true) =>
  ['chats', { type: 'channel', chat_id, title: 'News', admin }] as const;
const community = (id: number, more: object = {}) =>
  ['communities', { id: -id, name: 'Wall', admins: [100], ...more }] as const;

export const chats: Readonly<Record<string, Chat>> = {
  'tg-well': { platform: 'telegram', order: (id) => [channel(id)] },
  'tg-gone': { platform: 'telegram' },
  'tg-kicked': {
    platform: 'telegram',
    order: (id) => [channel(id), ['members', { chat: String(id), status: 'kicked' }]],
  },
  'tg-member': {
    platform: 'telegram',
    order: (id) => [channel(id), ['members', { chat: String(id), status: 'member' }]],
  },
  'tg-mute': {
    platform: 'telegram',
    order: (id) => [channel(id), ['members', { chat: String(id), denied: ['text'] }]],
  },
  'tg-group-mute': {
    platform: 'telegram',
    order: (id) => [group(id), ['members', { chat: String(id), denied: ['text'] }]],
    columns: { rate_rps: 0.3 },
  },
  'tg-group-bare': {
    platform: 'telegram',
    order: (id) => [group(id), ['members', { chat: String(id), denied: ['photo', 'video'] }]],
    columns: { rate_rps: 0.3 },
  },
  'tg-group-busy': { platform: 'telegram', order: (id) => [group(id)] },
  'tg-topic': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: { settings: JSON.stringify({ message_thread_id: 7 }) },
  },
  'tg-fast': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: { rate_rps: 5 },
  },
  'tg-unlimited': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: { rate_rps: null },
  },
  'tg-never': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: { window_mode: 'windowed', posting_window: '{}', timezone: 'UTC' },
  },
  'tg-disabled': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: {
      enabled: false,
      stopped_because: JSON.stringify({ code: 'not_allowed', message: 'the bot was kicked' }),
    },
  },
  'tg-put-aside': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: {
      enabled: false,
      stopped_because: JSON.stringify({ operator: 'ann', reason: 'holidays' }),
    },
  },
  'tg-paused': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: {
      paused_until: 'infinity',
      stopped_because: JSON.stringify({ code: 'not_allowed', message: 'the bot was kicked' }),
    },
  },
  'tg-put-off': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: {
      paused_until: 'infinity',
      stopped_because: JSON.stringify({ operator: 'ann', reason: 'the chat is moved' }),
    },
  },
  'tg-elsewhere': {
    platform: 'telegram',
    order: (id) => [channel(id)],
    columns: { rate_group: 'second' },
  },
  'max-well': { platform: 'max', order: (id) => [maxChat(id)] },
  'max-gone': { platform: 'max' },
  'max-removed': {
    platform: 'max',
    order: (id) => [maxChat(id), ['membership', { chat_id: id, user_id: 5, member: false }]],
  },
  'max-member': { platform: 'max', order: (id) => [maxChat(id, false)] },
  'vk-well': { platform: 'vk', order: (id) => [community(id)] },
  'vk-gone': { platform: 'vk' },
  'vk-banned': { platform: 'vk', order: (id) => [community(id), ['ban', { owner_id: id }]] },
  'vk-closed': { platform: 'vk', order: (id) => [community(id, { wall: 'closed' })] },
  'vk-foreign': { platform: 'vk', order: (id) => [community(id, { admins: [] })] },
  'vk-open': { platform: 'vk', order: (id) => [community(id, { admins: [], wall: 'open' })] },
  'vk-own': {
    platform: 'vk',
    order: (id) => [
      community(id),
      ['tokens', { kind: 'community', token: tokens.community, group_id: -id }],
    ],
    columns: { auth_ref: 'community', rate_group: 'community' },
  },
  'vk-not-own': {
    platform: 'vk',
    order: (id) => [community(id)],
    columns: { auth_ref: 'community', rate_group: 'community' },
  },
  unbound: { platform: 'telegram', columns: { auth_ref: 'nobody', rate_group: 'nobody' } },
  unset: { platform: 'telegram', columns: { auth_ref: 'unset', rate_group: 'unset' } },
  revoked: { platform: 'telegram', columns: { auth_ref: 'revoked', rate_group: 'revoked' } },
  weak: {
    platform: 'vk',
    order: (id) => [community(id)],
    columns: { auth_ref: 'weak', rate_group: 'weak' },
  },
};
