// Photos, their sizes and the addresses of their pictures.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { SandboxReply, SandboxRequest } from '../simulator.ts';
import { notFoundPage } from './edge.ts';
import { drawPicture } from './picture.ts';

export interface PhotoSize {
  readonly type: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

export interface Photo {
  readonly id: number;
  readonly ownerId: number;
  readonly albumId: number;
  /** Who uploaded it on behalf of a community. */
  readonly userId?: number | undefined;
  readonly date: number;
  readonly accessKey: string;
  readonly text: string;
  readonly width: number;
  readonly height: number;
  /** Given by the order that seeded the photo; made up when missing. */
  readonly sizes?: readonly PhotoSize[] | undefined;
  readonly file?: PhotoFile | undefined;
  /** On a wall, so everybody may attach it. */
  isPublic: boolean;
}

export interface PhotoFile {
  readonly sha256: string;
  readonly size: number;
  readonly filename: string;
}

/** Where pictures can be fetched, and until when. */
export interface PhotoAddresses {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly lifetimeMs: number;
}

export interface PhotoAlbum {
  get(ownerId: number, id: number): Photo | undefined;
  /** Gives it an id and an access key unless it has them. */
  add(photo: Omit<Photo, 'id' | 'accessKey'> & { readonly id?: number | undefined }): Photo;
}

export function createPhotoAlbum(): PhotoAlbum {
  const photos = new Map<string, Photo>();
  let last = 457_239_016;
  return {
    get: (ownerId, id) => photos.get(`${ownerId}_${id}`),
    add(given) {
      const id = given.id ?? last + 1;
      last = Math.max(last, id);
      const photo = {
        ...given,
        id,
        accessKey: digest(`key of ${given.ownerId}_${id}`).slice(0, 18),
      };
      photos.set(`${photo.ownerId}_${id}`, photo);
      return photo;
    },
  };
}

/** The longest side of each size. VK lists them in no particular order. */
const sides: readonly (readonly [string, number])[] = [
  ['m', 130],
  ['w', 2560],
  ['s', 75],
  ['y', 807],
  ['x', 604],
  ['z', 1280],
];

export function sizesOf(photo: Photo, addresses: PhotoAddresses): readonly PhotoSize[] {
  if (photo.sizes !== undefined) return photo.sizes;
  const longest = Math.max(photo.width, photo.height);
  return sides
    .filter(([, side]) => side <= Math.max(longest, 604))
    .map(([type, side]) => {
      const scale = Math.min(1, side / longest);
      const width = Math.max(1, Math.round(photo.width * scale));
      const height = Math.max(1, Math.round(photo.height * scale));
      return { type, url: address(photo, type, width, height, addresses), width, height };
    });
}

/** The photo as the API shows it. */
export function photoObject(
  photo: Photo,
  addresses: PhotoAddresses,
): Readonly<Record<string, unknown>> {
  const { width, height } = photo;
  return {
    album_id: photo.albumId,
    date: photo.date,
    id: photo.id,
    owner_id: photo.ownerId,
    access_key: photo.accessKey,
    sizes: sizesOf(photo, addresses),
    text: photo.text,
    ...(photo.userId === undefined ? {} : { user_id: photo.userId }),
    has_tags: false,
    ...(photo.sizes === undefined
      ? {
          orig_photo: {
            type: 'base',
            url: address(photo, 'base', width, height, addresses),
            width,
            height,
          },
        }
      : {}),
  };
}

function address(
  photo: Photo,
  type: string,
  width: number,
  height: number,
  { baseUrl, clock, lifetimeMs }: PhotoAddresses,
): string {
  const expires = Math.floor((clock.now() + lifetimeMs) / 1000);
  const path = `/photo/${photo.ownerId}_${photo.id}/${type}.png`;
  const query = new URLSearchParams({ size: `${width}x${height}`, expires: String(expires) });
  query.set('sign', signature(path, query));
  return `${baseUrl}${path}?${query.toString()}`;
}

function signature(path: string, query: URLSearchParams): string {
  return digest(`${path} ${query.get('size')} ${query.get('expires')}`).slice(0, 32);
}

/** Answers an address that `sizesOf` made. Like VK's, it must be signed, and it expires. */
export function showPicture(request: SandboxRequest, clock: Clock): SandboxReply {
  const { path, query } = request;
  const size = /^(\d{1,5})x(\d{1,5})$/.exec(query.get('size') ?? '');
  const isSigned = query.get('sign') === signature(path, query);
  const isFresh = clock.now() < Number(query.get('expires')) * 1000;
  if (size === null || !isSigned || !isFresh) return notFoundPage;
  const bytes = drawPicture(Number(size[1]), Number(size[2]), path);
  return { status: 200, headers: { 'content-type': 'image/png' }, body: '', bytes };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
