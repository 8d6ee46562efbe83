// Reads a file in a call (an upload, an address or an earlier id), and checks it.

import { readPicture } from '../image.ts';
import type { UploadedFile } from '../simulator.ts';
import { fileTypes, type StoredFile, uniqueId } from './files.ts';
import { checkLink } from './links.ts';
import type { Parameters } from './parameters.ts';
import { refusal } from './refusals.ts';
import type { Bot, MediaKind, World } from './world.ts';

type Source = { readonly upload: UploadedFile } | { readonly remote: string };

/** A file that may be sent. `core` is the refusal of the core when it is sent, if there is one. */
export interface ReadyFile {
  readonly file: StoredFile;
  readonly core?: string | undefined;
}

const photoBytesMost = 10 * 1024 * 1024;
const photoExtensions = /\.(jpe?g|gif|png|tiff?|bmp|webp)$/i;
const documentExtensions = /\.(gif|pdf|zip)$/i;
const defaultSize = { width: 1280, height: 853 };

const mimes = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['mp4', 'video/mp4'],
  ['mp3', 'audio/mpeg'],
  ['ogg', 'audio/ogg'],
  ['pdf', 'application/pdf'],
  ['zip', 'application/zip'],
  ['txt', 'text/plain'],
]);

/** The file that the call gives under that name; undefined when it gives none. */
export function findSource(
  parameters: Parameters,
  name: string,
  value = parameters.text(name),
): Source | undefined {
  const part = value.startsWith('attach://') ? value.slice('attach://'.length) : undefined;
  if (value !== '' && part === undefined) return { remote: value };
  const upload = parameters.file(part ?? name);
  return upload === undefined ? undefined : { upload };
}

export function readyFile(world: World, bot: Bot, kind: MediaKind, source: Source): ReadyFile {
  if ('upload' in source) return fromUpload(kind, source.upload);
  if (source.remote.includes('.')) return fromAddress(world, kind, source.remote);
  const known = world.files.find(bot, source.remote);
  if (known === undefined) throw refusal('Wrong file identifier/HTTP URL specified');
  if ((known.kind === 'photo') !== (kind === 'photo')) {
    throw refusal(`Can't use file of type ${fileTypes[known.kind]} as ${fileTypes[kind]}`);
  }
  return { file: known };
}

function fromUpload(kind: MediaKind, upload: UploadedFile): ReadyFile {
  if (upload.size === 0) throw refusal('File must be non-empty');
  if (kind === 'photo') checkPhotoUpload(upload);
  const picture = readPicture(upload.head);
  const file: StoredFile = {
    kind,
    uniqueId: uniqueId(kind, upload.sha256),
    size: upload.size,
    sha256: upload.sha256,
    head: upload.head,
    mime: mimeOf(upload.filename) ?? (upload.contentType || 'application/octet-stream'),
    ...(picture?.size ?? defaultSize),
    ...(upload.filename !== '' && { filename: upload.filename }),
  };
  return { file, core: kind === 'photo' ? pictureFault(picture !== undefined, file) : undefined };
}

function checkPhotoUpload({ filename, size }: UploadedFile): void {
  if (/\.[^.]+$/.test(filename) && !photoExtensions.test(filename)) {
    throw refusal(
      'Photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png, .tif or .bmp',
    );
  }
  if (size > photoBytesMost) {
    throw refusal(
      `File of size ${size} bytes is too big for a photo; the maximum size is ${photoBytesMost} bytes`,
    );
  }
}

function pictureFault(isPicture: boolean, { width, height }: StoredFile): string | undefined {
  if (!isPicture) return 'IMAGE_PROCESS_FAILED';
  const [small, large] = [Math.min(width, height), Math.max(width, height)];
  return width + height > 10_000 || large > 20 * small ? 'PHOTO_INVALID_DIMENSIONS' : undefined;
}

function fromAddress(world: World, kind: MediaKind, address: string): ReadyFile {
  const link = checkLink(address);
  if ('fault' in link && link.fault !== 'Wrong HTTP URL') {
    throw refusal(`Invalid file HTTP URL specified: ${link.fault}`);
  }
  const path = /^[^?#]*/.exec(address)?.[0] ?? '';
  const filename = /\/([^/]+\.[a-z0-9]{1,8})$/i.exec(path.replace(/^[a-z]+:\/\/[^/]*/i, ''))?.[1];
  const file: StoredFile = {
    kind,
    uniqueId: uniqueId(kind, address),
    size: 65_536,
    url: address,
    head: new Uint8Array(),
    mime: mimeOf(filename ?? '') ?? (kind === 'photo' ? 'image/jpeg' : 'application/octet-stream'),
    ...defaultSize,
    ...(filename !== undefined && { filename }),
  };
  return { file, core: addressFault(world, kind, address, 'fault' in link, filename) };
}

function addressFault(
  world: World,
  kind: MediaKind,
  address: string,
  odd: boolean,
  filename: string | undefined,
): string | undefined {
  const scripted = world.unfetchable.get(address);
  if (scripted !== undefined) return scripted;
  if (odd) return 'WC_CONVERT_URL_INVALID';
  if (/^(https?:\/\/)?[^/?#:]*\.invalid([:/?#]|$)/i.test(address)) return 'WEBPAGE_CURL_FAILED';
  if (filename === undefined) return undefined;
  const wanted =
    kind === 'photo' ? photoExtensions : kind === 'document' ? documentExtensions : undefined;
  return wanted?.test(filename) === false ? 'WEBPAGE_MEDIA_EMPTY' : undefined;
}

function mimeOf(filename: string): string | undefined {
  return mimes.get(/\.([a-z0-9]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? '');
}
