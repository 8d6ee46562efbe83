// wall.get and wall.getById

import { type Actor, actorId, type Owner, ownsWall } from './accounts.ts';
import { communityObject, userObject } from './directory-methods.ts';
import { Refusal, wrongParameter } from './errors.ts';
import { type Post, postObject } from './posts.ts';
import { whyNotReadable } from './wall-rights.ts';
import { addressesOf, type Call, type World } from './world.ts';

const maxCount = 100;
const day = 86_400_000;
const filters = ['owner', 'others', 'all', 'postponed', 'suggests', 'archived', 'donut'];
/** The last version that answers getById with a bare array. */
const lastBareVersion = 131;

/** The pinned post first, whatever its date, then the newest; offset counts along this list. */
export function get(call: Call): unknown {
  const { world, actor, parameters } = call;
  const ownerId = wallToRead(call);
  const owner = world.accounts.owner(ownerId);
  if (owner === undefined) throw wrongParameter('owner_id is incorrect');
  const refusal = whyNotReadable(actor, owner);
  if (refusal !== undefined) throw refusal;
  const posts = filtered(world.walls.of(ownerId), ownerId, readFilter(call, owner));
  const offset = parameters.natural('offset') ?? 0;
  const count = Math.min(parameters.natural('count') ?? 20, maxCount);
  const page = posts.slice(offset, offset + count);
  return {
    count: posts.length,
    items: page.map((each) => postObject(each, addressesOf(world), ownsWall(actor, owner))),
    ...(parameters.flag('extended') ? people(world, page) : {}),
  };
}

/** Leaves out posts that are deleted, unknown or not visible to the caller. */
export function getById(call: Call): unknown {
  const { world, actor, parameters, version } = call;
  parameters.neededText('posts');
  const names = parameters.list('posts');
  if (names.length > maxCount) throw wrongParameter('posts should contain at most 100 items');
  const found = names.flatMap((each) => {
    const [ownerId = Number.NaN, id = Number.NaN] = each.split('_').map(Number);
    const owner = world.accounts.owner(ownerId);
    const its = world.walls.find(ownerId, id);
    if (owner === undefined || its === undefined) return [];
    const isHidden = its.state !== 'published' && !ownsWall(actor, owner);
    if (isHidden || whyNotReadable(actor, owner) !== undefined) return [];
    return [{ its, forOwner: ownsWall(actor, owner) }];
  });
  const items = found.map(({ its, forOwner }) => postObject(its, addressesOf(world), forOwner));
  const isExtended = parameters.flag('extended');
  if (version <= lastBareVersion && !isExtended) return items;
  return {
    items,
    ...(isExtended
      ? people(
          world,
          found.map(({ its }) => its),
        )
      : {}),
  };
}

/** Refuses when the token has used up its reads of a day. */
export function requireReadingQuota(world: World, token: string): void {
  const calls = world.limits.wall_get_per_day;
  if (calls === null) return;
  const window = { key: `wall.get ${token}`, calls, ms: day };
  if (calls === 0 || world.flood.take([window]) > 0) throw new Refusal(29);
}

function wallToRead({ world, actor, parameters }: Call): number {
  const ownerId = parameters.integer('owner_id');
  if (ownerId !== undefined) return ownerId;
  const domain = parameters.text('domain');
  if (domain !== undefined) {
    const resolved = world.accounts.resolve(domain);
    if (resolved === undefined) throw wrongParameter('domain is incorrect');
    return resolved;
  }
  if (actor.kind === 'service') throw wrongParameter('owner_id is undefined');
  return actorId(actor);
}

function readFilter({ actor, parameters }: Call, owner: Owner): string {
  const filter = parameters.text('filter') ?? 'all';
  if (!filters.includes(filter)) throw wrongParameter('filter is incorrect');
  const isForOwner = filter === 'postponed' || filter === 'suggests' || filter === 'archived';
  if (isForOwner && !mayManage(actor, owner)) throw new Refusal(15);
  return filter;
}

function mayManage(actor: Actor, owner: Owner): boolean {
  return actor.kind !== 'service' && ownsWall(actor, owner);
}

function filtered(posts: readonly Post[], ownerId: number, filter: string): Post[] {
  const fits = (post: Post): boolean => {
    if (filter === 'postponed') return post.state === 'postponed';
    if (filter === 'suggests') return post.state === 'suggested';
    if (post.state !== 'published' || filter === 'archived' || filter === 'donut') return false;
    return filter === 'all' || (filter === 'owner') === (post.fromId === ownerId);
  };
  return posts
    .filter(fits)
    .toSorted((a, b) => Number(b.isPinned) - Number(a.isPinned) || b.date - a.date || b.id - a.id);
}

/** The accounts that the posts name, for extended=1. */
function people(world: World, posts: readonly Post[]): Readonly<Record<string, unknown>> {
  const all = posts.flatMap((each) => [each, ...each.copyHistory]);
  const ids = new Set(all.flatMap((each) => [each.ownerId, each.fromId, each.signerId ?? 0]));
  const owners = [...ids].flatMap((id) => world.accounts.owner(id) ?? []);
  return {
    profiles: owners.flatMap((each) => (each.kind === 'user' ? [userObject(each.user)] : [])),
    groups: owners.flatMap((each) =>
      each.kind === 'community' ? [communityObject(each.community)] : [],
    ),
  };
}
