// /uploads and /videos of the API, and the upload host behind them.

import { createHash } from 'node:crypto';
import type { SandboxReply, SandboxRequest, UploadedFile } from '../simulator.ts';
import type { Method } from './call.ts';
import { looksLikeImage } from './media-signature.ts';
import { answer, invalid, notFound } from './replies.ts';
import {
  fileUrl,
  openUpload,
  type StoredFile,
  type Upload,
  type UploadType,
  uploadUrl,
} from './upload-store.ts';
import type { World } from './world.ts';

const uploadTypes: readonly UploadType[] = ['image', 'video', 'audio', 'file'];

const mebibyte = 1024 ** 2;
const maxBytes: Readonly<Record<UploadType, number>> = {
  image: 50 * mebibyte,
  video: 250 * mebibyte,
  audio: 256 * mebibyte,
  file: 4096 * mebibyte,
};

/** Assumed: MAX does not document which extensions it forbids. */
const forbiddenName = /\.(?:exe|bat|cmd|com|msi|scr|vbs)$/i;

/** A video or an audio file gets its token at once, an image or another file with the answer to its upload. */
export const createUpload: Method = ({ world, request }) => {
  const type = uploadTypes.find((each) => each === request.query.get('type'));
  // The words of the refusal are assumed.
  if (type === undefined) throw invalid('type: must be one of image, video, audio, file');
  const upload = openUpload(world, type);
  const token = hasTokenAtOnce(type) ? upload.token : undefined;
  return answer({ url: uploadUrl(world, upload), token });
};

function hasTokenAtOnce(type: UploadType): boolean {
  return type === 'video' || type === 'audio';
}

export const getVideo: Method = ({ world, parts }) => {
  const token = parts['videoToken'] ?? '';
  const upload = world.uploads.get(token);
  if (upload?.type !== 'video' || upload.token !== token || upload.file === undefined) {
    throw notFound('Video not found');
  }
  const url = fileUrl(world, upload);
  return answer({
    token,
    urls: { mp4_720: `${url}/720.mp4`, mp4_360: `${url}/360.mp4` },
    thumbnail: { photo_id: upload.number, token, url: `${url}/thumbnail` },
    width: 1280,
    height: 720,
    duration: 1,
  });
};

/** The upload host. MAX has it on another server, which asks for no token. */
export function receiveUpload(world: World, request: SandboxRequest): SandboxReply {
  const upload = world.uploads.get(request.query.get('id') ?? '');
  if (upload === undefined || upload.id !== request.query.get('id')) {
    return hostError(404, 'Upload not found');
  }
  if (request.method === 'GET') return progress(upload);
  if (request.method !== 'POST') return hostError(405, 'Method not allowed');
  // One address takes one file. The answer to a second one is assumed.
  if (upload.file !== undefined) return hostError(400, 'File is already uploaded');
  const range = request.headers['content-range'];
  if (range !== undefined) return takePiece(upload, request, range);
  const [file, second] = request.files.filter((each) => each.field === 'data');
  if (file === undefined || second !== undefined) {
    return hostError(400, 'Exactly one file is expected in the field "data"');
  }
  return finish(upload, file);
}

/** The shape is as reported. The status of most errors is assumed. */
function hostError(status: number, message: string): SandboxReply {
  return answer({ code: 'upload.error', message }, status);
}

function finish(upload: Upload, file: StoredFile): SandboxReply {
  if (file.size === 0) return hostError(400, 'File is empty');
  if (file.size > maxBytes[upload.type]) return hostError(413, 'File is too large');
  if (upload.type === 'image' && !looksLikeImage(file.head)) {
    // Reported: the host also says no with HTTP 200. The values are assumed.
    return answer({ error_code: 4, error_data: 'IMAGE_INVALID_FORMAT' });
  }
  if (upload.type === 'file' && forbiddenName.test(file.filename)) {
    return hostError(415, 'File extension is forbidden');
  }
  const { filename, size, sha256, head } = file;
  upload.file = { filename, size, sha256, head };
  return uploadedReply(upload);
}

function uploadedReply(upload: Upload): SandboxReply {
  if (upload.type === 'image') {
    return answer({ photos: { [`${upload.id}=`]: { token: upload.token } } });
  }
  if (upload.type === 'file') return answer({ fileId: upload.number, token: upload.token });
  return {
    status: 200,
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    body: '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<retval>1</retval>',
  };
}

/** Takes one piece of a resumable upload. The answer is 201, and 200 for the last piece. */
function takePiece(upload: Upload, request: SandboxRequest, range: string): SandboxReply {
  const [, from, to, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? []).map(Number);
  const piece = request.files[0];
  if (from === undefined || to === undefined || total === undefined || piece === undefined) {
    return hostError(400, 'Content-Range is malformed');
  }
  if (to >= total || piece.size !== to - from + 1) {
    return hostError(400, 'Content-Range does not fit the body');
  }
  addPiece(upload, request, piece, from);
  const { received = 0, hash, head = piece.head } = upload.pieces ?? {};
  const body = `0-${Math.min(received, total) - 1}/${total}`;
  if (received < total) return { status: 201, headers: plain, body };
  const finished = finish(upload, {
    filename: filenameOf(request),
    size: total,
    sha256: hash?.digest('hex'),
    head,
  });
  // Assumed: images and files get the answer of a whole upload, because their token is in it.
  if (finished.status !== 200 || !hasTokenAtOnce(upload.type)) return finished;
  return { status: 200, headers: plain, body };
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

function addPiece(
  upload: Upload,
  request: SandboxRequest,
  piece: UploadedFile,
  from: number,
): void {
  const before = upload.pieces ?? {
    received: 0,
    next: 0,
    hash: createHash('sha256'),
    head: piece.head,
  };
  // `raw` holds no more than 1 MiB, and without all of its bytes a piece cannot be hashed.
  const isWhole = request.raw.length === piece.size;
  const isNext = from === before.next;
  upload.pieces = {
    received: before.received + piece.size,
    next: from + piece.size,
    hash: isNext && isWhole ? before.hash?.update(request.raw) : undefined,
    head: from === 0 ? piece.head : before.head,
  };
}

function filenameOf(request: SandboxRequest): string {
  const disposition = request.headers['content-disposition'] ?? '';
  return /filename="([^"]*)"/.exec(disposition)?.[1] ?? '';
}

function progress(upload: Upload): SandboxReply {
  const received = upload.file?.size ?? upload.pieces?.received ?? 0;
  if (received === 0) return { status: 204, body: '' };
  return { status: 200, headers: plain, body: `0-${received - 1}` };
}
