// In a sandbox that makes chats: makes people and communities when a call names them.

import { type Actor, plainCommunity, plainUser } from './accounts.ts';
import type { Parameters } from './parameters.ts';
import type { World } from './world.ts';

/** The caller becomes an administrator of the communities that its call makes. */
export function meetOwners(world: World, actor: Actor, parameters: Parameters): void {
  if (!world.makesChats) return;
  const { users, communities } = world.accounts;
  for (const id of addressed(parameters)) {
    if (id > 0 && !users.has(id)) {
      users.set(id, { ...plainUser(id), firstName: 'User', lastName: String(id) });
    }
    if (id < 0 && !communities.has(-id)) {
      const admins = new Set(actor.kind === 'user' ? [actor.user.id] : []);
      communities.set(-id, { ...plainCommunity(-id), name: `Community ${-id}`, admins });
    }
  }
}

/** The ids that a call names; those of communities are negative. */
function addressed(parameters: Parameters): number[] {
  const ids = ['owner_id', 'peer_id', 'user_id'].map((name) => Number(parameters.text(name) ?? 0));
  const groups = [...parameters.list('group_id'), ...parameters.list('group_ids')];
  const people = parameters.list('user_ids').map(Number);
  return [...ids, ...people, ...groups.map((each) => -Number(each))].filter(Number.isSafeInteger);
}
