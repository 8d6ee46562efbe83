// Posts of VK walls, read with wall.get. The cursor has a mark for each wall, and how far a round over the walls has come.

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
import type { VkAccess, WallFault } from '../vk/call.ts';
import { readWall, type Wall } from '../vk/owner.ts';
import { type KeptRound, keptIn, Round } from '../vk/round.ts';
import { type Mark, markAfter, newPosts, type WallRequest } from '../vk/wall.ts';
import { isWanted, itemOf, type WallPost } from '../vk/wall-post.ts';

const apiUrl = 'https://api.vk.com';

/** A look hands over what it has read after so many walls, or so much of its time; the next one goes on with the next walls. */
const wallsOfLook = 25;
const enoughAfter = 0.25;
/** After so much of its time a look gives up a wall with many pages: a call, and the wait for it, take 90 s at most. */
const lateAfter = 0.5;

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
  const all = [...walls.values()];
  const wanted = (post: WallPost): boolean => isWanted(post, config);
  const transport = means.transport ?? createTransport();
  const baseUrl = means.apiUrls['vk'] ?? apiUrl;

  /** What this pull has read and not handed over yet. It counts as long as the looks go on where the last one ended. */
  let waiting: Waiting[] = [];
  let round = new Round(all, { cursor: {} });
  let lastCursor: Cursor | undefined;

  async function look(given: Look): Promise<Chunk> {
    const { cursor, limit, signal, beforeCall, elapsed = () => 0 } = given;
    if (!isDeepStrictEqual(cursor, lastCursor)) {
      waiting = [];
      round = new Round(all, given);
    }
    const before = marksIn(cursor);
    const marks: Record<string, Mark> = { ...before };
    const token = await means.token();
    const access = { transport, baseUrl, token, signal, beforeCall };
    const request = { ...config, isWanted: wanted, isLate: () => elapsed() > lateAfter };
    const hasRoom = () => waiting.filter((each) => each.item !== undefined).length < limit;
    for (let read = 0; round.next !== undefined && hasRoom(); read += 1) {
      if (read === wallsOfLook || (read > 0 && elapsed() > enoughAfter)) break;
      await readNext(access, marks, request);
    }
    const handed = handOver(limit);
    for (const { wall, post } of handed) marks[wall.name] = markAfter(marks[wall.name], post);
    const kept = round.kept((wall) => waiting.some((each) => each.wall === wall));
    const isRead = waiting.length === 0 && round.next === undefined;
    const isKnown = isDeepStrictEqual(marks, before) && isSameStart(cursor, kept);
    // The marks are kept before the fault is told: what was read does not count as unread because of another wall.
    if (isRead && round.hasFailed && handed.length === 0 && isKnown) throw round.fault();
    lastCursor = {
      walls: Object.fromEntries(Object.entries(marks).filter(([name]) => walls.has(name))),
      ...(kept === undefined ? {} : { round: kept }),
    };
    return {
      items: handed.flatMap(({ item }) => item ?? []),
      cursor: lastCursor,
      hasMore: !isRead || round.hasFailed,
      ...(round.hasFailed ? { fault: round.fault() } : {}),
    };
  }

  function isSameStart(cursor: Cursor, kept: KeptRound | undefined): boolean {
    const first = all[0]?.name;
    return (keptIn(cursor)?.next ?? first) === (kept?.next ?? first);
  }

  /** A wall that cannot be read does not keep the others from being read. */
  async function readNext(
    access: VkAccess,
    marks: Record<string, Mark>,
    request: WallRequest,
  ): Promise<void> {
    const wall = round.next;
    if (wall === undefined) return;
    const mark = marks[wall.name];
    const read = await newPosts(access, wall, mark, request);
    if (!read.ok) return round.fail(read.isOfWall ? { ...read, error: ofWall(wall, read) } : read);
    const takesNone = mark === undefined && request.backfill === 0;
    const found = read.value.map((post) => {
      return { wall, post, item: !takesNone && wanted(post) ? itemOf(post) : undefined };
    });
    // A wall without posts is marked, too: whatever comes there is new.
    if (found.length === 0) marks[wall.name] = mark ?? { date: 0, ids: [] };
    waiting.push(...found);
    waiting.sort((a, b) => a.post.date - b.post.date || a.post.id - b.post.id);
    round.pass();
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

function ofWall({ name }: Wall, { error }: WallFault): SourceError {
  const { message, hint, retryAfterMs } = error;
  return new SourceError(`wall ${name}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
