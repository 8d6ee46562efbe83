// The media of an entry: enclosures, and what the namespace of Media RSS says. Where a feed has one picture in several sizes,
// the largest is taken; a thumbnail only where there is no picture.

import { addressOf } from '../address.ts';
import { mediumTypeOf } from '../media-type.ts';
import type { FoundMedium } from '../sound-post.ts';

export interface FeedMedium {
  readonly url: string | undefined;
  /** A content type, or the first half of one. */
  readonly type: string | undefined;
  /** To compare those of one group: points, or bytes. */
  readonly size: number;
  /** Media with the same name show the same in several forms. */
  readonly group: string | undefined;
  readonly isThumbnail: boolean;
}

export function plainMedium(
  url: string | undefined,
  type: string | undefined,
  size?: number,
): FeedMedium {
  return { url, type, size: size ?? 0, group: undefined, isThumbnail: false };
}

interface MediaNamespace extends MediaGroup {
  readonly groups?: readonly MediaGroup[] | undefined;
}

interface MediaGroup {
  readonly contents?: readonly MediaContent[] | undefined;
  readonly thumbnails?: readonly Thumbnail[] | undefined;
}

interface Thumbnail {
  readonly url?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

interface MediaContent extends Thumbnail {
  readonly type?: string | undefined;
  readonly medium?: string | undefined;
  readonly fileSize?: number | undefined;
  readonly thumbnails?: readonly Thumbnail[] | undefined;
}

export function mediaOfNamespace(media: MediaNamespace = {}): FeedMedium[] {
  const alone = (media.contents ?? []).map((content) => contentIn(content, undefined));
  const grouped = (media.groups ?? []).flatMap(({ contents = [] }, index) =>
    contents.map((content) => contentIn(content, `group ${index}`)),
  );
  const thumbnails = [media, ...(media.groups ?? []), ...(media.contents ?? [])]
    .flatMap((each) => each.thumbnails ?? [])
    .map((each) => ({
      url: each.url,
      type: 'image',
      size: pointsOf(each),
      group: 'thumbnails',
      isThumbnail: true,
    }));
  return [...alone, ...grouped, ...thumbnails];
}

function contentIn(content: MediaContent, group: string | undefined): FeedMedium {
  const { url, type, medium, fileSize } = content;
  const size = pointsOf(content) || (fileSize ?? 0);
  return { url, type: type ?? medium, size, group, isThumbnail: false };
}

function pointsOf({ width = 0, height = 0 }: Thumbnail): number {
  return Math.max(width, 1) * Math.max(height, 1) - 1;
}

/** What a post may have of an entry's media, each once, in the feed's order. */
export function chosenMedia(
  media: readonly FeedMedium[],
  wanted: 'all' | 'photos' | 'none',
  baseUrl: string,
): FoundMedium[] {
  if (wanted === 'none') return [];
  const usable = media.flatMap((each): Usable[] => {
    const url = addressOf(each.url, baseUrl);
    if (url === undefined) return [];
    const type = mediumTypeOf(each.type, url);
    if (type === undefined || (wanted === 'photos' && type !== 'image')) return [];
    return [{ type, url, size: each.size, group: each.group, isThumbnail: each.isThumbnail }];
  });
  const hasPicture = usable.some(({ type, isThumbnail }) => type === 'image' && !isThumbnail);
  const kept = usable.filter(({ isThumbnail }) => !isThumbnail || !hasPicture);
  const largest = new Map<string, Usable>();
  for (const each of kept) {
    // A group may have a picture beside its video.
    const key = each.group === undefined ? each.url : `${each.group} ${each.type}`;
    const other = largest.get(key);
    if (other === undefined || each.size > other.size) largest.set(key, each);
  }
  return [...largest.values()].map(({ type, url }) => ({ type, url }));
}

interface Usable extends FoundMedium {
  readonly size: number;
  readonly group: string | undefined;
  readonly isThumbnail: boolean;
}
