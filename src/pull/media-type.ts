// What a medium is, by what its source says: a content type, or the end of its address.

import type { MediumType } from './sound-post.ts';

/** Undefined when neither tells. */
export function mediumTypeOf(contentType: string | undefined, url: string): MediumType | undefined {
  const told = byContentType(contentType?.trim().toLowerCase() ?? '');
  return told ?? byName(/\.([a-z0-9]{2,5})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1] ?? '');
}

function byContentType(type: string): MediumType | undefined {
  if (type === 'image/gif') return 'animation';
  if (type === 'image' || (type.startsWith('image/') && !type.includes('svg'))) return 'image';
  if (type === 'video' || type.startsWith('video/')) return 'video';
  return type === 'audio' || type.startsWith('audio/') ? 'audio' : undefined;
}

const names: ReadonlyMap<MediumType, readonly string[]> = new Map<MediumType, readonly string[]>([
  ['image', ['jpg', 'jpeg', 'png', 'webp', 'bmp', 'avif', 'heic']],
  ['animation', ['gif']],
  ['video', ['mp4', 'm4v', 'mov', 'webm']],
  ['audio', ['mp3', 'm4a', 'ogg', 'oga', 'opus', 'wav', 'flac']],
]);

function byName(ending: string): MediumType | undefined {
  return [...names].find(([, endings]) => endings.includes(ending.toLowerCase()))?.[0];
}
