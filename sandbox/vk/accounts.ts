// Accounts: people, communities, and the tokens that act for them.

import type { Clock } from '../clock.ts';
import { Refusal } from './errors.ts';

/** open: everybody writes · limited: the owner writes · closed: nobody writes, nobody reads. */
export type WallMode = 'open' | 'limited' | 'closed';

export interface User {
  readonly id: number;
  firstName: string;
  lastName: string;
  screenName: string | undefined;
  wall: WallMode;
  linksForbidden: boolean;
  /** Others do not see the wall. */
  isPrivate: boolean;
  deactivated: 'deleted' | 'banned' | undefined;
  /** Owners whose messages or posts this person does not take; the ids of communities are negative. */
  readonly blacklist: Set<number>;
  /** Communities that may write to this person; undefined when all may. */
  allowsMessagesFrom: Set<number> | undefined;
  messagePrivacy: boolean;
}

export interface Community {
  readonly id: number;
  name: string;
  screenName: string | undefined;
  wall: WallMode;
  linksForbidden: boolean;
  membersOnly: boolean;
  deactivated: 'deleted' | 'banned' | undefined;
  readonly admins: Set<number>;
  readonly blacklist: Set<number>;
  /** Whether the community takes part in messages. */
  messages: boolean;
  donut: boolean;
  need2fa: boolean;
}

/** A person with default properties. */
export function plainUser(id: number): User {
  return {
    id,
    firstName: 'Иван',
    lastName: 'Петров',
    screenName: undefined,
    wall: 'limited',
    linksForbidden: false,
    isPrivate: false,
    deactivated: undefined,
    blacklist: new Set(),
    allowsMessagesFrom: undefined,
    messagePrivacy: false,
  };
}

/** A community with default properties. */
export function plainCommunity(id: number): Community {
  return {
    id,
    name: 'Сообщество',
    screenName: undefined,
    wall: 'limited',
    linksForbidden: false,
    membersOnly: false,
    deactivated: undefined,
    admins: new Set(),
    blacklist: new Set(),
    messages: true,
    donut: false,
    need2fa: false,
  };
}

export type TokenKind = 'user' | 'community' | 'service' | 'vk_id';

/** Why a token does not work any more. */
export type TokenFault = 'invalid' | 'session' | 'revoked' | 'ip' | 'blocked' | 'expired';

export interface Token {
  readonly token: string;
  readonly kind: TokenKind;
  readonly actor: Actor;
  readonly scopes: ReadonlySet<string>;
  /** In milliseconds of the clock. */
  readonly expiresAt: number | undefined;
  fault: TokenFault | undefined;
  needsValidation: boolean;
}

export type Actor =
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'community'; readonly community: Community }
  | { readonly kind: 'service' };

/** The id under which an actor owns things; a service owns nothing. */
export function actorId(actor: Actor): number {
  if (actor.kind === 'user') return actor.user.id;
  return actor.kind === 'community' ? -actor.community.id : 0;
}

/** Whether the actor acts as the owner of the wall: the person, an administrator, the community. */
export function ownsWall(actor: Actor, owner: Owner): boolean {
  if (owner.kind === 'user') return actor.kind === 'user' && actor.user.id === owner.user.id;
  if (actor.kind === 'community') return actor.community.id === owner.community.id;
  return actor.kind === 'user' && owner.community.admins.has(actor.user.id);
}

export type Owner =
  | { readonly kind: 'user'; readonly user: User }
  | { readonly kind: 'community'; readonly community: Community };

export interface Accounts {
  readonly users: Map<number, User>;
  readonly communities: Map<number, Community>;
  readonly tokens: Map<string, Token>;
  /** By owner_id: communities are negative. */
  owner(ownerId: number): Owner | undefined;
  /** The owner_id of a short address, "id1", "club1" or "public1". */
  resolve(address: string): number | undefined;
  /** The token, if it works now; otherwise throws a refusal that says what is wrong with it. */
  authorise(token: string | undefined, clock: Clock): Token;
}

const faultDetails: Readonly<Record<Exclude<TokenFault, 'expired'>, string>> = {
  invalid: 'invalid access_token (4).',
  session: 'invalid session',
  revoked: 'user revoke access for this token',
  ip: 'access_token was given to another ip address',
  blocked: 'user is blocked.',
};

export function createAccounts(): Accounts {
  const users = new Map<number, User>();
  const communities = new Map<number, Community>();
  const tokens = new Map<string, Token>();

  function owner(ownerId: number): Owner | undefined {
    const user = users.get(ownerId);
    if (user !== undefined) return { kind: 'user', user };
    const community = communities.get(-ownerId);
    return community === undefined ? undefined : { kind: 'community', community };
  }

  function resolve(address: string): number | undefined {
    const byNumber = /^(id|club|public)(\d{1,15})$/.exec(address);
    const ownerId = byNumber?.[1] === 'id' ? Number(byNumber[2]) : -Number(byNumber?.[2]);
    if (owner(ownerId) !== undefined) return ownerId;
    const person = [...users.values()].find((each) => each.screenName === address);
    if (person !== undefined) return person.id;
    const community = [...communities.values()].find((each) => each.screenName === address);
    return community === undefined ? undefined : -community.id;
  }

  function authorise(text: string | undefined, clock: Clock): Token {
    if (text === undefined) throw new Refusal(5, 'no access_token passed.');
    const token = tokens.get(text);
    if (token === undefined) throw new Refusal(5, faultDetails.invalid);
    const expired = token.expiresAt !== undefined && clock.now() >= token.expiresAt;
    if (expired || token.fault === 'expired') throw new Refusal(1117);
    if (token.fault !== undefined) throw new Refusal(5, faultDetails[token.fault]);
    if (token.actor.kind === 'user' && token.actor.user.deactivated !== undefined) {
      throw new Refusal(5, faultDetails.blocked);
    }
    return token;
  }

  return { users, communities, tokens, owner, resolve, authorise };
}
