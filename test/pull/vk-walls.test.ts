import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { vkWall } from '../../src/pull/kinds/vk-wall.ts';
import type { Chunk, Cursor, Look, Source } from '../../src/pull/source.ts';
import { SourceError } from '../../src/pull/source-error.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { firstLook, means } from '../support/pull/source-means.ts';

type Answer = (wall: number, offset: number) => object | undefined;

interface Vk extends AsyncDisposable {
  /** The walls that were asked for, in order. */
  readonly asked: number[];
  open(owners: readonly number[], keys?: object): Source;
}

/** VK as a test has it. No answer: the connection is closed. */
async function startVk(answer: Answer): Promise<Vk> {
  const asked: number[] = [];
  const origin = await startOrigin(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const wall = Number(form.get('owner_id'));
    asked.push(wall);
    const body = answer(wall, Number(form.get('offset')));
    if (body === undefined) request.socket.destroy();
    else response.end(JSON.stringify(body));
  });
  return {
    asked,
    open(owners, keys = {}) {
      const given = { ...means(), apiUrls: { vk: origin.url }, token: async () => 'token' };
      return vkWall.open(vkWall.keys.parse({ owners, ...keys }), given);
    },
    [Symbol.asyncDispose]: () => origin[Symbol.asyncDispose](),
  };
}

const refusal = (code: number) => ({ error: { error_code: code, error_msg: 'no' } });
const page = (items: readonly object[]) => ({ response: { count: items.length, items } });
const post = (wall: number, id: number, date: number) => ({ id, owner_id: wall, date, text: 'x' });

interface Pulled {
  readonly items: string[];
  readonly looks: number;
  readonly cursor: Cursor;
  readonly error?: SourceError;
}

/** Looks until there is no more, as a pull does; `open` says whether each look has a process of its own. */
async function pull(
  open: () => Source,
  from: Cursor = {},
  look: Partial<Look> = {},
): Promise<Pulled> {
  const items: string[] = [];
  let cursor = from;
  for (let looks = 1; looks < 20; looks += 1) {
    let chunk: Chunk;
    try {
      chunk = await open().look(firstLook({ pull: 'one', ...look, cursor }));
    } catch (error) {
      if (error instanceof SourceError) return { items, looks, cursor, error };
      throw error;
    }
    items.push(...chunk.items.map(({ itemRef }) => itemRef));
    ({ cursor } = chunk);
    if (!chunk.hasMore) return { items, looks, cursor };
  }
  throw new Error('the pull does not end');
}

const inOne = (source: Source) => () => source;

describe('of several faults', () => {
  it.each([
    [29, 3 * 3600],
    [9, 1800],
  ])('the one of all walls (%i) is named, and the longest wait counts', async (code, seconds) => {
    await using vk = await startVk((wall) => refusal(wall === -1 ? 15 : code));
    const { error } = await pull(inOne(vk.open([-1, -2, -3])));
    expect(error?.message).toBe(
      `VK answers with error ${code}, no; besides, 1 of 3 walls cannot be read`,
    );
    expect(error?.retryAfterMs).toBe(seconds * 1000);
    expect(vk.asked).toEqual([-1, -2]);
  });
});

describe('a wall that cannot be read', () => {
  it('does not keep an empty one from being marked: what comes there first is new', async () => {
    let posts: object[] = [];
    await using vk = await startVk((wall) => (wall === -1 ? refusal(15) : page(posts)));
    const first = await pull(inOne(vk.open([-2, -1], { backfill: 0 })));
    expect(first.error?.message).toContain('wall -1: VK answers with error 15');
    expect(first.cursor).toMatchObject({ walls: { '-2': { date: 0, ids: [] } } });
    posts = [post(-2, 1, 1000)];
    const second = await pull(inOne(vk.open([-2, -1], { backfill: 0 })), first.cursor, {
      pull: 'two',
    });
    expect(second.items).toEqual(['-2_1']);
  });

  it('because VK does not answer is asked last by the next pull', async () => {
    await using vk = await startVk((wall) =>
      wall === -2 ? undefined : page([post(wall, 1, 1000)]),
    );
    const first = await pull(inOne(vk.open([-1, -2, -3])));
    expect(first.items).toEqual(['-1_1']);
    expect(first.error?.message).toContain('VK cannot be reached');
    const second = await pull(inOne(vk.open([-1, -2, -3])), first.cursor, { pull: 'two' });
    expect(second.items).toEqual(['-3_1']);
    expect(second.error?.message).toContain('VK cannot be reached');
    expect([...new Set(vk.asked)]).toEqual([-1, -2, -3]);
    expect(vk.asked.lastIndexOf(-2)).toBe(vk.asked.length - 1);
  });

  it('because of an answer of another form does not keep the others from being read', async () => {
    await using vk = await startVk((wall) =>
      wall === -1 ? { response: 5 } : page([post(wall, 1, 9)]),
    );
    const { items, error } = await pull(inOne(vk.open([-1, -2])));
    expect(items).toEqual(['-2_1']);
    expect(error?.message).toBe('wall -1: VK answers with status 200 in a form that is not known');
  });
});

const sixty = Array.from({ length: 60 }, (_, n) => -(n + 1));

describe('a look', () => {
  it('hands over what it has read when much of its time is over, and the next one goes on', async () => {
    await using vk = await startVk((wall) => page([post(wall, 1, 1000)]));
    const source = vk.open([-1, -2, -3]);
    const asked: number[][] = [];
    const open = () => {
      asked.push([...vk.asked]);
      return source;
    };
    // Each wall takes a fifth of the time of a look.
    let begun = 0;
    const elapsed = () => (vk.asked.length - begun) / 5;
    const pulled = await pull(
      () => {
        begun = vk.asked.length;
        return open();
      },
      {},
      { elapsed },
    );
    expect(pulled).toMatchObject({ items: ['-1_1', '-2_1', '-3_1'], looks: 2 });
    expect(asked).toEqual([[], [-1, -2]]);
  });

  it.each([true, false])(
    'reads so many walls, and a round ends, with news and faults (in one process: %s)',
    async (isOne) => {
      const isOdd = (wall: number) => wall === -3 || wall === -40;
      await using vk = await startVk((wall) =>
        isOdd(wall) ? refusal(15) : page(wall % 2 === 0 ? [] : [post(wall, 1, 1000)]),
      );
      const one = vk.open(sixty);
      const open = isOne ? inOne(one) : () => vk.open(sixty);
      const first = await pull(open);
      expect(first.items).toHaveLength(29);
      expect(first.error?.message).toMatch(/^wall -3: .* \(2 of 60 walls\)$/);
      expect(new Set(vk.asked).size).toBe(60);
      // Nothing is new.
      const second = await pull(isOne ? inOne(vk.open(sixty)) : open, first.cursor, {
        pull: 'two',
      });
      expect(second.items).toEqual([]);
      expect(second.error?.message).toMatch(/^wall -3: /);
    },
  );

  it('of a pull that broke off between walls is followed by one that reads all', async () => {
    await using vk = await startVk((wall) => page([post(wall, 1, 1000)]));
    const chunk = await vk.open(sixty).look(firstLook({ pull: 'one' }));
    expect(chunk).toMatchObject({ hasMore: true });
    expect(vk.asked).toHaveLength(25);
    const { items, cursor, error } = await pull(inOne(vk.open(sixty)), chunk.cursor, {
      pull: 'two',
    });
    expect(error).toBeUndefined();
    expect(new Set([...chunk.items.map(({ itemRef }) => itemRef), ...items]).size).toBe(60);
    expect(vk.asked).toHaveLength(85);
    expect(Object.keys(cursor)).toEqual(['walls']);
  });

  it('gives up a wall with too many pages, and hands over the others', async () => {
    const many = Array.from({ length: 900 }, (_, n) => post(-1, 2000 - n, 5000 - n));
    await using vk = await startVk((wall, offset) =>
      wall === -1
        ? { response: { count: 900, items: many.slice(offset, offset + 100) } }
        : page([post(wall, 1, 1000)]),
    );
    let calls = 0;
    const pulled = await pull(
      inOne(vk.open([-1, -2])),
      { walls: { '-1': { date: 1, ids: [] } } },
      {
        beforeCall: async () => void (calls += 1),
        elapsed: () => calls / 10,
      },
    );
    expect(pulled.items).toEqual(['-2_1']);
    expect(pulled.error?.message).toMatch(/^wall -1: more is new than could be read in time/);
    expect(pulled.cursor).toMatchObject({ walls: { '-1': { date: 1 } } });
  });
});
