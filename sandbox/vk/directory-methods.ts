// users.get, groups.getById, account.getAppPermissions and utils.getServerTime: what clients ask before they begin.

import { type Actor, type Community, type Owner, type User } from './accounts.ts';
import { Refusal } from './errors.ts';
import { requireWriter } from './wall-rights.ts';
import { type Call, secondsOf } from './world.ts';

/** The last version that answers groups.getById with a bare array. */
const lastBareVersion = 131;

/** Unknown people are left out. A call that names only unknown people is refused. */
export function getUsers({ world, actor, parameters }: Call): unknown {
  const asked = parameters.list('user_ids');
  if (asked.length === 0) return actor.kind === 'user' ? [userObject(actor.user)] : [];
  const found = asked.flatMap((each) => {
    const id = /^\d+$/.test(each) ? Number(each) : world.accounts.resolve(each);
    return world.accounts.users.get(id ?? 0) ?? [];
  });
  if (found.length === 0) throw new Refusal(113);
  const fields = parameters.list('fields');
  return found.map((user) => ({
    ...userObject(user),
    ...(fields.includes('can_post') && canPost(actor, { kind: 'user', user })),
  }));
}

export function getCommunities({ world, actor, parameters, version }: Call): unknown {
  const asked = [...parameters.list('group_ids'), ...parameters.list('group_id')];
  const own = actor.kind === 'community' ? [actor.community] : [];
  const found = asked.flatMap((each) => {
    const id = /^\d+$/.test(each) ? Number(each) : -(world.accounts.resolve(each) ?? 0);
    return world.accounts.communities.get(id) ?? [];
  });
  const shown = asked.length === 0 ? own : found;
  if (shown.length === 0) throw new Refusal(125);
  const fields = parameters.list('fields');
  const groups = shown.map((community) => ({
    ...communityObject(community),
    ...(fields.length > 0 && standingOf(actor, community, fields)),
  }));
  return version <= lastBareVersion ? groups : { groups, profiles: [] };
}

/** What the owner of a user's token is in the community; other tokens are told nothing about it. */
function standingOf(actor: Actor, community: Community, fields: readonly string[]): object {
  if (actor.kind !== 'user') return {};
  const isAdmin = community.admins.has(actor.user.id);
  return {
    is_admin: isAdmin ? 1 : 0,
    ...(isAdmin && { admin_level: 3 }),
    is_member: isAdmin ? 1 : 0,
    ...(fields.includes('can_post') && canPost(actor, { kind: 'community', community })),
  };
}

function canPost(actor: Actor, owner: Owner): object {
  if (actor.kind === 'service') return {};
  try {
    requireWriter(actor, owner, false);
    return { can_post: 1 };
  } catch (error) {
    if (error instanceof Refusal) return { can_post: 0 };
    throw error;
  }
}

/** The rights of a user's token, as VK adds them up. */
const bits: Readonly<Record<string, number>> = {
  photos: 1 << 2,
  video: 1 << 4,
  messages: 1 << 12,
  wall: 1 << 13,
  offline: 1 << 16,
  docs: 1 << 17,
  groups: 1 << 18,
};

export function getAppPermissions({ scopes }: Call): unknown {
  return Object.entries(bits)
    .filter(([name]) => scopes.has(name))
    .reduce((sum, [, bit]) => sum + bit, 0);
}

export function getServerTime({ world }: Call): unknown {
  return secondsOf(world);
}

export function userObject(user: User): Readonly<Record<string, unknown>> {
  return {
    id: user.id,
    first_name: user.deactivated === 'deleted' ? 'DELETED' : user.firstName,
    last_name: user.deactivated === 'deleted' ? '' : user.lastName,
    screen_name: user.screenName ?? `id${user.id}`,
    ...(user.deactivated === undefined
      ? { can_access_closed: !user.isPrivate, is_closed: user.isPrivate }
      : { deactivated: user.deactivated }),
  };
}

export function communityObject(community: Community): Readonly<Record<string, unknown>> {
  return {
    id: community.id,
    name: community.name,
    screen_name: community.screenName ?? `club${community.id}`,
    is_closed: community.membersOnly ? 1 : 0,
    type: 'group',
    ...(community.deactivated === undefined ? {} : { deactivated: community.deactivated }),
  };
}
