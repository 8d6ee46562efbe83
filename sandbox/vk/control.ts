// Orders of the control API about accounts, walls and failures.

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  type Actor,
  type Community,
  type Owner,
  plainCommunity,
  plainUser,
  type TokenKind,
  type User,
} from './accounts.ts';
import { isErrorCode } from './errors.ts';
import { limitsSchema } from './limits.ts';
import { seedPosts, seedsSchema } from './seeds.ts';
import type { World } from './world.ts';

const id = z.int().positive();
const ownerId = z.int();
const wallMode = z.enum(['open', 'limited', 'closed']);
const someone = plainUser(0);
const allScopes = ['wall', 'photos', 'groups', 'messages', 'docs', 'video', 'offline', 'manage'];

type Order = (world: World, body: unknown) => unknown;

function order<T>(schema: z.ZodType<T>, run: (world: World, body: T) => unknown): Order {
  return (world, body) => run(world, schema.parse(body));
}

const orders: Readonly<Record<string, Order>> = {
  users: order(
    z.strictObject({
      id: id.optional(),
      first_name: z.string().default(someone.firstName),
      last_name: z.string().default(someone.lastName),
      screen_name: z.string().optional(),
      wall: wallMode.default('limited'),
      links_forbidden: z.boolean().default(false),
      private: z.boolean().default(false),
      message_privacy: z.boolean().default(false),
      /** Communities that may write messages; all of them when missing. */
      allows_messages_from: z.array(id).optional(),
    }),
    (world, body) => {
      const { users } = world.accounts;
      const user: User = {
        ...plainUser(body.id ?? nextId(users, 1000)),
        firstName: body.first_name,
        lastName: body.last_name,
        screenName: body.screen_name,
        wall: body.wall,
        linksForbidden: body.links_forbidden,
        isPrivate: body.private,
        allowsMessagesFrom:
          body.allows_messages_from && new Set(body.allows_messages_from.map((each) => -each)),
        messagePrivacy: body.message_privacy,
      };
      users.set(user.id, user);
      return { id: user.id };
    },
  ),
  communities: order(
    z.strictObject({
      id: id.optional(),
      name: z.string().default(plainCommunity(0).name),
      screen_name: z.string().optional(),
      admins: z.array(id).default([]),
      wall: wallMode.default('limited'),
      links_forbidden: z.boolean().default(false),
      members_only: z.boolean().default(false),
      messages: z.boolean().default(true),
      donut: z.boolean().default(false),
      need_2fa: z.boolean().default(false),
    }),
    (world, body) => {
      const { communities } = world.accounts;
      const community: Community = {
        ...plainCommunity(body.id ?? nextId(communities, 200_000)),
        name: body.name,
        screenName: body.screen_name,
        wall: body.wall,
        linksForbidden: body.links_forbidden,
        membersOnly: body.members_only,
        admins: new Set(body.admins),
        messages: body.messages,
        donut: body.donut,
        need2fa: body.need_2fa,
      };
      communities.set(community.id, community);
      return { id: community.id };
    },
  ),
  tokens: order(
    z.strictObject({
      kind: z.enum(['user', 'community', 'service', 'vk_id']),
      token: z.string().min(1).optional(),
      user_id: id.optional(),
      group_id: id.optional(),
      scopes: z.array(z.string()).default(allScopes),
      expires_in_s: z.number().positive().optional(),
    }),
    (world, body) => {
      const token = body.token ?? newToken(body.kind);
      world.accounts.tokens.set(token, {
        token,
        kind: token.startsWith('vk2.a.') ? 'vk_id' : body.kind,
        actor: actorOf(world, body.kind, body.user_id, body.group_id),
        scopes: new Set(body.scopes),
        expiresAt:
          body.expires_in_s === undefined
            ? undefined
            : world.clock.now() + body.expires_in_s * 1000,
        fault: undefined,
        needsValidation: false,
      });
      return { token };
    },
  ),
  /** Breaks a token; null repairs it. */
  token_fault: order(
    z.strictObject({
      token: z.string(),
      fault: z.enum(['invalid', 'session', 'revoked', 'ip', 'blocked', 'expired']).nullable(),
    }),
    (world, body) => {
      tokenOf(world, body.token).fault = body.fault ?? undefined;
    },
  ),
  validation: order(
    z.strictObject({ token: z.string(), needed: z.boolean().default(true) }),
    (world, body) => {
      tokenOf(world, body.token).needsValidation = body.needed;
    },
  ),
  wall: order(
    z.strictObject({
      owner_id: ownerId,
      wall: wallMode.optional(),
      links_forbidden: z.boolean().optional(),
    }),
    (world, body) => {
      const owner = ownerOf(world, body.owner_id);
      const its = owner.kind === 'user' ? owner.user : owner.community;
      its.wall = body.wall ?? its.wall;
      its.linksForbidden = body.links_forbidden ?? its.linksForbidden;
    },
  ),
  /** Blocks a person or a community; with `by`, puts them on that owner's blacklist instead. */
  ban: order(
    z.strictObject({
      owner_id: ownerId,
      by: ownerId.optional(),
      as: z.enum(['banned', 'deleted']).default('banned'),
      lifted: z.boolean().default(false),
    }),
    (world, body) => {
      const banned = ownerOf(world, body.owner_id);
      if (body.by === undefined) {
        const its = banned.kind === 'user' ? banned.user : banned.community;
        its.deactivated = body.lifted ? undefined : body.as;
        return;
      }
      const judge = ownerOf(world, body.by);
      const { blacklist } = judge.kind === 'user' ? judge.user : judge.community;
      if (body.lifted) blacklist.delete(body.owner_id);
      else blacklist.add(body.owner_id);
    },
  ),
  posts: order(seedsSchema, seedPosts),
  limits: order(limitsSchema.partial(), (world, body) => {
    world.limits = limitsSchema.parse({ ...world.limits, ...body });
    return world.limits;
  }),
  captcha: order(
    z.strictObject({
      token: z.string().optional(),
      method: z.string().optional(),
      redirect: z.boolean().default(false),
    }),
    (world, body) => world.hindrances.armCaptcha(body),
  ),
  /** The captchas that wait for their key, and the keys. */
  captchas: order(z.unknown(), (world) => world.hindrances.issued()),
  /** The next calls of a method fail with this code. */
  fail: order(
    z.strictObject({
      code: z.int().refine(isErrorCode, 'VK has no such error code here'),
      detail: z.string().optional(),
      subcode: z.int().optional(),
      method: z.string().optional(),
      times: z.int().positive().default(1),
      extra: z.record(z.string(), z.unknown()).optional(),
    }),
    (world, body) => world.hindrances.armFailure(body),
  ),
  /** The next uploads answer without a photo. */
  fail_uploads: order(z.strictObject({ times: z.int().nonnegative().default(1) }), (world, body) =>
    world.uploads.failNext(body.times),
  ),
};

export function obey(world: World, name: string, body: unknown): unknown {
  const run = orders[name];
  if (run === undefined) {
    throw new Error(`VK takes no order "${name}"; it takes ${Object.keys(orders).join(', ')}.`);
  }
  return run(world, body) ?? {};
}

function nextId(known: ReadonlyMap<number, unknown>, first: number): number {
  return Math.max(first, ...known.keys()) + 1;
}

function newToken(kind: TokenKind): string {
  if (kind === 'service') return randomBytes(35).toString('hex');
  return `${kind === 'vk_id' ? 'vk2' : 'vk1'}.a.${randomBytes(48).toString('base64url')}`;
}

function ownerOf(world: World, owner: number): Owner {
  const found = world.accounts.owner(owner);
  if (found === undefined) throw new Error(`There is no owner ${owner}; communities are negative.`);
  return found;
}

function tokenOf(world: World, text: string) {
  const token = world.accounts.tokens.get(text);
  if (token === undefined) throw new Error('There is no such token.');
  return token;
}

function actorOf(world: World, kind: TokenKind, userId?: number, groupId?: number): Actor {
  if (kind === 'service') return { kind };
  const owner = ownerOf(world, kind === 'community' ? -(groupId ?? 0) : (userId ?? 0));
  return owner;
}
