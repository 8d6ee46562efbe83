// Which pictures VK takes: JPG, PNG or GIF, at most 50 MB, sides of 14000 in all, at most 1:20.

import { type Picture, readPicture } from '../image.ts';

const taken = ['image/jpeg', 'image/png', 'image/gif'];
const maxBytes = 50 * 1024 * 1024;
const maxSides = 14_000;
const maxRatio = 20;

/** The picture if VK would take it; its size is missing when the first bytes do not reach that far. */
export function acceptedPicture(file: {
  readonly head: Uint8Array;
  readonly size: number;
}): Picture | undefined {
  const picture = readPicture(file.head);
  if (picture === undefined || !taken.includes(picture.mime)) return undefined;
  if (file.size > maxBytes) return undefined;
  if (picture.size === undefined) return picture;
  const { width, height } = picture.size;
  const shorter = Math.min(width, height);
  const longer = Math.max(width, height);
  const fits = shorter > 0 && shorter + longer <= maxSides && longer <= shorter * maxRatio;
  return fits ? picture : undefined;
}
