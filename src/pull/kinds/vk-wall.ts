// Posts of VK walls, read with wall.get. The cursor has a mark for each wall.

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { createTransport } from '../../http/transport.ts';
import type {
  Chunk,
  Cursor,
  Look,
  Source,
  SourceItem,
  SourceKind,
  SourceMeans,
} from '../source.ts';
import { SourceError } from '../source-error.ts';
import type { VkReader } from '../vk/call.ts';
import { readWall, type Wall } from '../vk/owner.ts';
import { type Mark, markAfter, newPosts, type WallRequest } from '../vk/wall.ts';
import { isWanted, itemOf, type WallPost } from '../vk/wall-post.ts';

const apiUrl = 'https://api.vk.com';

const Owner = z
  .union([z.string(), z.int()], 'must be a wall: -123, club123 or a short name')
  .refine((given) => readWall(given) !== undefined, {
    error: 'must be a wall: -123, club123, id5, a short name or the address of a page',
  });

const keys = z.strictObject({
  owners: z
    .array(Owner)
    .min(1)
    .max(100)
    .describe('The walls: -123, club123, id5, a short name or the address of a page.'),
  backfill: z
    .int()
    .min(0)
    .max(1000)
    .default(20)
    .describe('How many posts of a wall the first look takes. Default: 20.'),
  ads: z
    .boolean()
    .default(false)
    .describe('Whether posts marked as ads are taken. Default: false.'),
  filter: z
    .enum(['all', 'owner', 'others'])
    .default('all')
    .describe('Whose posts: of all, of the owner of the wall, of others. Default: all.'),
});

export const vkWall: SourceKind<typeof keys> = { name: 'vk_wall', platform: 'vk', keys, open };

const Marks = z.object({
  walls: z.record(z.string(), z.object({ date: z.int(), ids: z.array(z.int()) })),
});

/** A post that waits to be handed over; one without an item only moves the mark of its wall. */
interface Waiting {
  readonly wall: Wall;
  readonly post: WallPost;
  readonly item: SourceItem | undefined;
}

function open(config: z.output<typeof keys>, means: SourceMeans): Source {
  const walls = new Map<string, Wall>();
  for (const given of config.owners) {
    const wall = readWall(given);
    if (wall !== undefined) walls.set(wall.name, wall);
  }
  const wanted = (post: WallPost): boolean => isWanted(post, config);
  const request = { filter: config.filter, backfill: config.backfill, isWanted: wanted };
  const transport = means.transport ?? createTransport();
  const baseUrl = means.apiUrls['vk'] ?? apiUrl;

  /** What this pull has read and not handed over yet. It counts as long as the looks go on where the last one ended. */
  let waiting: Waiting[] = [];
  let unread: Wall[] = [...walls.values()];
  let faults: SourceError[] = [];
  let lastCursor: Cursor | undefined;

  function beginAnew(): void {
    waiting = [];
    unread = [...walls.values()];
    faults = [];
  }

  async function look({ cursor, limit, signal, beforeCall }: Look): Promise<Chunk> {
    if (!isDeepStrictEqual(cursor, lastCursor)) beginAnew();
    const marks: Record<string, Mark> = { ...marksIn(cursor) };
    const token = await means.token();
    const reader = { transport, baseUrl, token, signal, beforeCall };
    while (unread.length > 0 && waiting.filter((each) => each.item !== undefined).length < limit) {
      await readNext(reader, marks, request);
    }
    const handed = handOver(limit);
    if (handed.length === 0 && faults.length > 0) throw faultOf(faults, walls.size);
    for (const { wall, post } of handed) marks[wall.name] = markAfter(marks[wall.name], post);
    lastCursor = {
      walls: Object.fromEntries(Object.entries(marks).filter(([name]) => walls.has(name))),
    };
    return {
      items: handed.flatMap(({ item }) => item ?? []),
      cursor: lastCursor,
      hasMore: waiting.length + unread.length + faults.length > 0,
    };
  }

  /** A wall that cannot be read does not keep the others from being read. */
  async function readNext(
    reader: VkReader,
    marks: Record<string, Mark>,
    asked: WallRequest,
  ): Promise<void> {
    const [wall, ...others] = unread;
    if (wall === undefined) return;
    const mark = marks[wall.name];
    const read = await newPosts(reader, wall, mark, asked);
    if (read.ok) {
      const takesNone = mark === undefined && asked.backfill === 0;
      const found = read.value.map((post) => {
        return { wall, post, item: !takesNone && wanted(post) ? itemOf(post) : undefined };
      });
      // A wall without posts is marked, too: whatever comes there is new.
      if (found.length === 0) marks[wall.name] = mark ?? { date: 0, ids: [] };
      waiting.push(...found);
      waiting.sort((a, b) => a.post.date - b.post.date || a.post.id - b.post.id);
      unread = others;
      return;
    }
    const { message, hint, retryAfterMs } = read.error;
    const where = read.isOfWall ? `wall ${wall.name}: ` : '';
    faults.push(
      new SourceError(`${where}${message}`, {
        ...(hint === undefined ? {} : { hint }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      }),
    );
    unread = read.isOfWall ? others : [];
  }

  /** The oldest first, up to so many items. */
  function handOver(limit: number): readonly Waiting[] {
    let items = 0;
    const end = waiting.findIndex(({ item }) => {
      items += item === undefined ? 0 : 1;
      return items > limit;
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  }

  async function close(): Promise<void> {
    if (means.transport === undefined) await transport.close();
  }

  return { look, close };
}

function marksIn(cursor: Cursor): Readonly<Record<string, Mark>> {
  return Marks.safeParse(cursor).data?.walls ?? {};
}

function faultOf([first, ...more]: readonly SourceError[], walls: number): SourceError {
  if (first === undefined) return new SourceError('VK cannot be read');
  if (more.length === 0) return first;
  const { hint, retryAfterMs } = first;
  return new SourceError(`${first.message} (${more.length + 1} of ${walls} walls)`, {
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
