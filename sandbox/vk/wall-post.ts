// wall.post

import { type Actor, actorId, type Owner, ownsWall } from './accounts.ts';
import { readAttachments } from './attachments.ts';
import { Refusal, wrongParameter } from './errors.ts';
import type { Attachment, Post } from './posts.ts';
import { requireRoom } from './wall-quotas.ts';
import { requireWriter, wallOwner } from './wall-rights.ts';
import { type Call, secondsOf } from './world.ts';

const year = 366 * 86_400;
const link = /\bhttps?:\/\/|\bwww\.|\b[a-z0-9-]+\.(?:com|ru|su|org|net|info|me|io|рф)\b/iu;

/**
 * Adds a post, now or at publish_date, and returns its id. Within an hour, a call with the same guid from the same
 * sender on the same wall adds nothing and returns the id of the first post.
 */
export function post(call: Call): unknown {
  const { world, actor, parameters } = call;
  const { ownerId, owner } = wallOwner(call);
  const fromGroup = parameters.flag('from_group');
  requireWriter(actor, owner, fromGroup);
  if (parameters.text('post_id') !== undefined) return publishWaiting(call, ownerId, owner);

  const guid = parameters.text('guid');
  const guidKey = `${actorId(actor)} ${ownerId} ${guid}`;
  const repeated = world.guids.get(guidKey);
  const remembered = world.clock.now() - world.limits.guid_window_s * 1000;
  if (guid !== undefined && repeated !== undefined && repeated.at > remembered) {
    return { post_id: repeated.postId };
  }

  const content = readContent(call, owner);
  const publishDate = readPublishDate(call);
  const isAds = parameters.flag('mark_as_ads');
  requireRoom(world, { ownerId, owner, actor, text: content.text, isAds, publishDate });
  const added = world.walls.add({
    ...content,
    ...authorOf(actor, owner, fromGroup, parameters.flag('signed')),
    ownerId,
    createdAt: world.clock.now(),
    date: publishDate ?? secondsOf(world),
    state: publishDate === undefined ? 'published' : 'postponed',
    isPinned: false,
    isAds,
    copyHistory: [],
    counts: { likes: 0, reposts: 0, comments: 0, views: 0 },
  });
  showPhotos(added.attachments);
  if (guid !== undefined) {
    world.guids.set(guidKey, { postId: added.id, at: world.clock.now() });
  }
  return { post_id: added.id };
}

/** The text and attachments of a new post or of an edit. */
export function readContent(
  { world, actor, parameters }: Call,
  owner: Owner,
): Pick<Post, 'text' | 'attachments' | 'copyright'> {
  const text = parameters.text('message')?.trim() ?? '';
  const named = parameters.list('attachments');
  if (text === '' && named.length === 0) throw wrongParameter('message is undefined');
  if (text.length > world.limits.post_length) throw wrongParameter('message is too long');
  const title = parameters.text('link_title');
  const attachments = readAttachments(named, actor, world.album, title);
  // VK says this when no attachment is left.
  if (text === '' && attachments.length === 0) throw wrongParameter('invalid message param');
  requireLinksAllowed(owner, text, attachments);
  const paid = parameters.integer('donut_paid_duration') !== undefined;
  if (paid && !(owner.kind === 'community' && owner.community.donut)) throw new Refusal(225);
  const copyright = parameters.text('copyright');
  if (copyright !== undefined && !URL.canParse(copyright)) throw new Refusal(3102);
  return { text, attachments, ...(copyright === undefined ? {} : { copyright }) };
}

function requireLinksAllowed(owner: Owner, text: string, attachments: readonly Attachment[]): void {
  const forbidden =
    owner.kind === 'user' ? owner.user.linksForbidden : owner.community.linksForbidden;
  if (!forbidden) return;
  const attached = attachments.some((each) => each.kind === 'other' && each.type === 'link');
  if (attached || link.test(text)) throw new Refusal(222);
}

export function readPublishDate({ world, parameters }: Call): number | undefined {
  const date = parameters.natural('publish_date');
  if (date === undefined || date === 0) return undefined;
  const now = secondsOf(world);
  if (date <= now) throw new Refusal(150);
  if (date > now + year) throw new Refusal(214, 'cannot postpone the post for more than a year');
  return date;
}

/** The community, if from_group asks for it or the community itself writes. */
function authorOf(
  actor: Actor,
  owner: Owner,
  fromGroup: boolean,
  signed: boolean,
): Pick<Post, 'fromId' | 'createdBy' | 'signerId'> {
  if (actor.kind !== 'user') return { fromId: actorId(actor) };
  const createdBy = actor.user.id;
  if (owner.kind === 'user' || !fromGroup) return { fromId: createdBy };
  return {
    fromId: -owner.community.id,
    createdBy,
    ...(signed ? { signerId: createdBy } : {}),
  };
}

/** Publishes a postponed or suggested post at once. */
function publishWaiting(
  { world, actor, parameters }: Call,
  ownerId: number,
  owner: Owner,
): unknown {
  const waiting = world.walls.find(ownerId, parameters.neededInteger('post_id'));
  if (waiting === undefined || waiting.state === 'published')
    throw wrongParameter('post_id is incorrect');
  if (!ownsWall(actor, owner)) throw new Refusal(210);
  world.walls.publish(waiting, secondsOf(world));
  return { post_id: waiting.id };
}

/** A photo on a wall is public. */
export function showPhotos(attachments: readonly Attachment[]): void {
  for (const each of attachments) if (each.kind === 'photo') each.photo.isPublic = true;
}
