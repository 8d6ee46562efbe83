// Tells from the first bytes what kind of picture a file is, and how large.

export interface Image {
  readonly format: 'jpeg' | 'png' | 'gif';
  /** Undefined when the first bytes do not reach as far as the size (JPEG with a long preamble). */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

const maxBytes = 50 * 1024 * 1024;
const maxSides = 14_000;
const maxRatio = 20;

/** Undefined when it is none of the kinds that VK takes. */
export function readImage(head: Uint8Array): Image | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (begins(head, [0x89, 0x50, 0x4e, 0x47]) && view.byteLength >= 24) {
    return { format: 'png', width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (begins(head, [0x47, 0x49, 0x46, 0x38]) && view.byteLength >= 10) {
    return { format: 'gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (begins(head, [0xff, 0xd8, 0xff])) return { format: 'jpeg', ...jpegSize(view) };
  return undefined;
}

/** The picture if VK would take it: JPG, PNG or GIF, ≤ 50 MB, sides ≤ 14000 in all, at most 1:20. */
export function acceptedImage(file: {
  readonly head: Uint8Array;
  readonly size: number;
}): Image | undefined {
  const image = readImage(file.head);
  if (image === undefined || file.size > maxBytes) return undefined;
  if (image.width === undefined || image.height === undefined) return image;
  const shorter = Math.min(image.width, image.height);
  const longer = Math.max(image.width, image.height);
  const fits = shorter > 0 && shorter + longer <= maxSides && longer <= shorter * maxRatio;
  return fits ? image : undefined;
}

function begins(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

/** Walks the segments up to the frame header, which holds the size. */
function jpegSize(view: DataView): Pick<Image, 'width' | 'height'> {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return { width: undefined, height: undefined };
}
