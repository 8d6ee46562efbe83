// wall.edit and wall.delete

import { type Actor, actorId, type Owner, ownsWall } from './accounts.ts';
import { Refusal, wrongParameter } from './errors.ts';
import type { Post } from './posts.ts';
import { readContent, readPublishDate, showPhotos } from './wall-post.ts';
import { wallOwner } from './wall-rights.ts';
import { type Call, secondsOf } from './world.ts';

/** Replaces the text and the attachments: what the call does not give again is gone. */
export function edit(call: Call): unknown {
  const { world, parameters } = call;
  const { found, owner } = ownPost(call);
  if (parameters.text('message') === undefined && parameters.text('attachments') === undefined) {
    throw wrongParameter('invalid message param');
  }
  const content = readContent(call, owner);
  const publishDate = found.state === 'postponed' ? readPublishDate(call) : undefined;
  found.text = content.text;
  found.attachments = content.attachments;
  found.copyright = content.copyright ?? found.copyright;
  found.date = publishDate ?? found.date;
  if (found.state === 'published') found.edited = secondsOf(world);
  showPhotos(found.attachments);
  return { post_id: found.id };
}

export function remove(call: Call): unknown {
  const { found, owner } = ownPost(call);
  if (owner.kind === 'community' && owner.community.need2fa) throw new Refusal(703);
  found.state = 'deleted';
  found.isPinned = false;
  return 1;
}

function ownPost(call: Call): { found: Post; owner: Owner } {
  const { world, actor, parameters } = call;
  const id = parameters.neededInteger('post_id');
  const { ownerId, owner } = wallOwner(call);
  const found = world.walls.find(ownerId, id);
  if (found === undefined) throw new Refusal(104);
  if (!mayChange(actor, owner, found)) throw new Refusal(210);
  return { found, owner };
}

function mayChange(actor: Actor, owner: Owner, found: Post): boolean {
  return ownsWall(actor, owner) || found.fromId === actorId(actor);
}
