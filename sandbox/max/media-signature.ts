// Recognises the formats that MAX takes by their first bytes.

const images: readonly (readonly [number, string])[] = [
  [0, '\x89PNG'],
  [0, '\xff\xd8\xff'],
  [0, 'GIF8'],
  [0, 'II*\0'],
  [0, 'MM\0*'],
  [0, 'BM'],
  [4, 'ftyphei'],
  [4, 'ftypmif1'],
];

/** MP4 and MOV, then MKV and WEBM. */
const videos: readonly (readonly [number, string])[] = [
  [4, 'ftyp'],
  [4, 'moov'],
  [4, 'mdat'],
  [4, 'wide'],
  [0, '\x1a\x45\xdf\xa3'],
];

/** JPG, PNG, GIF, TIFF, BMP, HEIC. */
export function looksLikeImage(head: Uint8Array): boolean {
  return matches(head, images);
}

export function looksLikeVideo(head: Uint8Array): boolean {
  return matches(head, videos) && !looksLikeImage(head);
}

function matches(head: Uint8Array, signatures: readonly (readonly [number, string])[]): boolean {
  const text = Buffer.from(head).toString('latin1');
  return signatures.some(([at, signature]) => text.startsWith(signature, at));
}
