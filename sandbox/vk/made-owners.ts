// People and communities that come into being when a call names them, in a sandbox that makes chats.

import { type Actor, plainCommunity, plainUser } from './accounts.ts';
import type { Parameters } from './parameters.ts';
import type { World } from './world.ts';

/** Whoever calls administers the communities that come into being by it. */
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

/** The ids that a call names, those of communities negative. */
function addressed(parameters: Parameters): number[] {
  const ids = ['owner_id', 'peer_id', 'user_id'].map((name) => Number(parameters.text(name) ?? 0));
  return [...ids, -Number(parameters.text('group_id') ?? 0)].filter(Number.isSafeInteger);
}
