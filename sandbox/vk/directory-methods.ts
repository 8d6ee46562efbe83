// users.get, groups.getById and utils.getServerTime: what clients ask before they begin.

import type { Community, User } from './accounts.ts';
import { Refusal } from './errors.ts';
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
  return found.map(userObject);
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
  const groups = shown.map(communityObject);
  return version <= lastBareVersion ? groups : { groups, profiles: [] };
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
