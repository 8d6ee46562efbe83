// Reads the attachments of a post: media by their names, and bare addresses.

import { type Actor, actorId } from './accounts.ts';
import { wrongParameter } from './errors.ts';
import type { PhotoAlbum } from './photos.ts';
import { type Attachment, hostOf } from './posts.ts';

const maxMedia = 10;
const name = /^([a-z_]+?)(-?\d{1,15})_(\d{1,15})(?:_([A-Za-z0-9]+))?$/;
const types = new Set([
  'photo',
  'video',
  'audio',
  'doc',
  'page',
  'note',
  'poll',
  'album',
  'market',
  'market_album',
  'audio_playlist',
  'graffiti',
]);

/**
 * Like VK, leaves out attachments that it cannot find or may not show, instead of refusing the post. More than ten
 * media and more than one link are refused.
 */
export function readAttachments(
  list: readonly string[],
  actor: Actor,
  album: PhotoAlbum,
  linkTitle?: string,
): Attachment[] {
  const links = list.filter((each) => /^https?:\/\//i.test(each));
  const media = list.filter((each) => !links.includes(each));
  if (links.length > 1) throw wrongParameter('attachments: only one link is allowed');
  if (media.length > maxMedia) throw wrongParameter('attachments: too many attachments');
  const found = media.flatMap((each) => findMedia(each, actor, album) ?? []);
  const polls = found.filter((each) => each.kind === 'other' && each.type === 'poll');
  if (polls.length > 1) throw wrongParameter('attachments: only one poll is allowed');
  return [...found, ...links.map((url) => linkTo(url, linkTitle))];
}

function findMedia(text: string, actor: Actor, album: PhotoAlbum): Attachment | undefined {
  const [, type = '', owner, media, key] = name.exec(text) ?? [];
  if (!types.has(type)) return undefined;
  const ownerId = Number(owner);
  const id = Number(media);
  if (type !== 'photo') return { kind: 'other', type, body: { id, owner_id: ownerId } };
  const photo = album.get(ownerId, id);
  if (photo === undefined) return undefined;
  const mayShow = photo.isPublic || photo.ownerId === actorId(actor) || photo.accessKey === key;
  return mayShow ? { kind: 'photo', photo } : undefined;
}

function linkTo(url: string, title?: string): Attachment {
  return {
    kind: 'other',
    type: 'link',
    body: { url, title: title ?? hostOf(url), caption: hostOf(url), description: '' },
  };
}
