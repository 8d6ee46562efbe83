// photos.*: hands out upload addresses, and saves what was uploaded.

import { actorId, type Community, ownsWall } from './accounts.ts';
import { Refusal, wrongParameter } from './errors.ts';
import { photoObject } from './photos.ts';
import { addressesOf, type Call, secondsOf } from './world.ts';

const wallAlbum = -14;
const messagesAlbum = -64;
const maxCaption = 2048;

export function getWallUploadServer(call: Call): unknown {
  const community = communityOf(call);
  return uploadServer(call, wallAlbum, community?.id);
}

export function getMessagesUploadServer(call: Call): unknown {
  const { actor } = call;
  if (actor.kind === 'community' && !actor.community.messages) throw new Refusal(901);
  return uploadServer(
    call,
    messagesAlbum,
    actor.kind === 'community' ? actor.community.id : undefined,
  );
}

/** The photo belongs to the caller who uploaded it, even if it is for the wall of a community. */
export function saveWallPhoto(call: Call): unknown {
  communityOf(call);
  return save(call, wallAlbum);
}

export function saveMessagesPhoto(call: Call): unknown {
  return save(call, messagesAlbum);
}

function uploadServer({ world, actor }: Call, albumId: number, groupId?: number): unknown {
  const expiresAt = world.clock.now() + world.limits.upload_url_s * 1000;
  const path = world.uploads.open({ albumId, actorId: actorId(actor), groupId, expiresAt });
  return {
    album_id: albumId,
    upload_url: `${world.baseUrl}${path}`,
    user_id: actor.kind === 'user' ? actor.user.id : 0,
    ...(groupId === undefined ? {} : { group_id: groupId }),
  };
}

/** The community that group_id names, if the caller may add photos to its wall. */
function communityOf({ world, actor, parameters }: Call): Community | undefined {
  const groupId = parameters.natural('group_id');
  if (groupId === undefined || groupId === 0) return undefined;
  const community = world.accounts.communities.get(groupId);
  if (community === undefined) throw new Refusal(125);
  if (community.deactivated !== undefined) throw new Refusal(203);
  if (community.wall !== 'open' && !ownsWall(actor, { kind: 'community', community })) {
    throw new Refusal(200);
  }
  return community;
}

function save({ world, actor, parameters }: Call, albumId: number): unknown {
  const photo = parameters.neededText('photo');
  if (photo === '[]') throw wrongParameter('photos_list is invalid');
  const server = parameters.neededInteger('server');
  const receipt = world.uploads.find(parameters.neededText('hash'));
  if (receipt === undefined || receipt.ticket.actorId !== actorId(actor)) throw new Refusal(121);
  if (receipt.server !== server) throw new Refusal(118);
  if (receipt.photo !== photo) throw new Refusal(129);
  if (receipt.ticket.albumId !== albumId) throw new Refusal(114);
  const { sha256, size, filename } = receipt.file;
  const saved = world.album.add({
    ownerId: actorId(actor),
    albumId,
    date: secondsOf(world),
    text: (parameters.text('caption') ?? '').slice(0, maxCaption),
    width: receipt.width,
    height: receipt.height,
    file: { sha256, size, filename },
    isPublic: false,
  });
  return [photoObject(saved, addressesOf(world))];
}
