// Who may write on a wall, and who may read it.

import { type Actor, actorId, type Owner, ownsWall } from './accounts.ts';
import { Refusal, wrongParameter } from './errors.ts';
import type { Call } from './world.ts';

export const closedWall = 'access to the wall is closed';

/** The owner of the wall that owner_id names; the caller's own when it is missing. */
export function wallOwner({ world, actor, parameters }: Call): { ownerId: number; owner: Owner } {
  const ownerId = parameters.integer('owner_id') ?? actorId(actor);
  const owner = world.accounts.owner(ownerId);
  if (owner === undefined) throw wrongParameter('owner_id is incorrect');
  return { ownerId, owner };
}

/** Refuses a caller who may not add posts to the wall. */
export function requireWriter(actor: Actor, owner: Owner, fromGroup: boolean): void {
  const { deactivated, wall, blacklist } = owner.kind === 'user' ? owner.user : owner.community;
  if (deactivated !== undefined) throw new Refusal(owner.kind === 'user' ? 18 : 203);
  if (wall === 'closed') throw new Refusal(214, closedWall);
  if (ownsWall(actor, owner)) return;
  if (actor.kind === 'community') {
    throw new Refusal(27, 'method is unavailable with group auth.');
  }
  if (blacklist.has(actorId(actor))) throw new Refusal(7);
  if (wall !== 'open' || fromGroup) throw new Refusal(214, closedWall);
}

/** Undefined when the caller may read the wall, else how VK refuses. */
export function whyNotReadable(actor: Actor, owner: Owner): Refusal | undefined {
  if (owner.kind === 'user') {
    if (owner.user.deactivated !== undefined) return new Refusal(18);
    if (ownsWall(actor, owner)) return undefined;
    if (owner.user.isPrivate) return new Refusal(30);
    return owner.user.wall === 'closed' ? new Refusal(15) : undefined;
  }
  const { deactivated, membersOnly, wall } = owner.community;
  if (deactivated !== undefined) return new Refusal(15, 'group is blocked');
  if (wall === 'closed') return new Refusal(15, 'wall is disabled');
  return membersOnly && !ownsWall(actor, owner)
    ? new Refusal(15, 'this wall available only for community members')
    : undefined;
}
