// Limits how many posts a wall takes, and how often the same words. Only accepted posts count.

import { type Actor, actorId, type Owner, ownsWall } from './accounts.ts';
import { Refusal } from './errors.ts';
import type { World } from './world.ts';

const day = 86_400_000;
const minute = 60;

export interface NewPost {
  readonly ownerId: number;
  readonly owner: Owner;
  readonly actor: Actor;
  readonly text: string;
  readonly isAds: boolean;
  /** In seconds; undefined means now. */
  readonly publishDate: number | undefined;
}

/** Refuses the post when a hidden limit is reached. The figures in VK's messages are not the real limits. */
export function requireRoom(world: World, post: NewPost): void {
  requireFreshWords(world, post);
  if (post.publishDate === undefined) requireRoomToday(world, post);
  else requireRoomLater(world, post.ownerId, post.publishDate);
  if (post.isAds) requireRoomForAds(world, post.ownerId);
}

function requireFreshWords({ walls, limits, clock }: World, { ownerId, text }: NewPost): void {
  if (limits.same_text === null || text === '') return;
  const since = clock.now() - limits.same_text_window_s * 1000;
  const repeats = walls.countSince(ownerId, since, (post) => post.text === text);
  if (repeats >= limits.same_text) throw new Refusal(9);
}

function requireRoomToday({ walls, limits, clock }: World, post: NewPost): void {
  const { ownerId, owner, actor } = post;
  const since = clock.now() - day;
  const today = walls.countSince(ownerId, since, (each) => each.state !== 'postponed');
  if (limits.posts_per_day !== null && today >= limits.posts_per_day) {
    throw new Refusal(214, 'you can only add 50 posts a day');
  }
  if (limits.foreign_posts_per_day === null || ownsWall(actor, owner)) return;
  const own = walls
    .owners()
    .filter((each) => each !== actorId(actor))
    .map((each) => walls.countSince(each, since, (its) => its.fromId === actorId(actor)));
  if (own.reduce((sum, count) => sum + count, 0) >= limits.foreign_posts_per_day) {
    throw new Refusal(214, 'too many messages sent');
  }
}

function requireRoomLater({ walls, limits }: World, ownerId: number, date: number): void {
  const planned = walls.of(ownerId).filter((post) => post.state === 'postponed');
  const sameMinute = planned.some(
    (post) => Math.floor(post.date / minute) === Math.floor(date / minute),
  );
  if (sameMinute) throw new Refusal(214, 'a post is already scheduled for this time');
  const sameDay = planned.filter((post) => moscowDay(post.date) === moscowDay(date));
  if (limits.postponed_per_day !== null && sameDay.length >= limits.postponed_per_day) {
    throw new Refusal(214, 'can only schedule 25 posts on a day');
  }
  if (limits.postponed_total !== null && planned.length >= limits.postponed_total) {
    throw new Refusal(214, 'cannot schedule more than 150 posts');
  }
}

function requireRoomForAds({ walls, limits, clock }: World, ownerId: number): void {
  const since = (ms: number) => walls.countSince(ownerId, clock.now() - ms, (post) => post.isAds);
  if (limits.ads_per_day !== null && since(day) >= limits.ads_per_day) throw new Refusal(224);
  if (limits.ads_interval_s !== null && since(limits.ads_interval_s * 1000) > 0) {
    throw new Refusal(219);
  }
}

function moscowDay(seconds: number): number {
  return Math.floor((seconds + 3 * 3600) / 86_400);
}
