import { beforeEach, describe, expect, it } from 'vitest';
import { explainDelivery, explainPost, findPosts } from '../../src/db/explain.ts';
import { ingestPullChunk, ingestPush } from '../../src/db/intake.ts';
import { pauseChannels } from '../../src/db/operate.ts';
import { fill } from '../support/database/bulk-rows.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addEndpoint, hashOf, take } from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;

const dog = { text: 'Lost: a ginger dog\nnear the station', source_ref: 'post-7' };

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  await addChannel(database.admin, workspaceId, 'pets');
});

function find(search: string, limit = 20, now = after(60)) {
  return findPosts(database.service, { workspaceId, search, limit }, now);
}

/** The messages found, those that fit best first. */
async function messages(search: string): Promise<string[]> {
  return [...new Set((await find(search)).map((each) => each.messageId))];
}

describe('find_posts', () => {
  it('tells of each delivery of a post, and of a post without any', async () => {
    const { messageId, channels } = await take(database.service, workspaceId, dog);
    const ids = channels.map((each) => ('deliveryId' in each ? each.deliveryId : ''));
    const post = { sourceRef: 'post-7', createdAt: new Date(start), status: 'queued', messageId };
    const excerpt = 'Lost: a ginger dog near the station';
    expect(await find('post-7')).toEqual([
      { ...post, excerpt, deliveryId: ids[0], channelId: 'news' },
      { ...post, excerpt, deliveryId: ids[1], channelId: 'pets' },
    ]);
    expect(await find('post-7', 1)).toHaveLength(1);

    workspaceId = await addNewWorkspace(database);
    const alone = await take(database.service, workspaceId, { title: 'Alone', text: 'A fair' });
    expect(await find('fair')).toEqual([
      {
        messageId: alone.messageId,
        deliveryId: null,
        channelId: null,
        status: null,
        sourceRef: null,
        excerpt: 'Alone',
        createdAt: new Date(start),
      },
    ]);
  });

  it('finds a post by every name that it has', async () => {
    const { messageId, channels } = await take(database.service, workspaceId, dog);
    await take(database.service, workspaceId, { text: 'Another post' }, after(1));
    const deliveryIds = channels.map((each) => ('deliveryId' in each ? each.deliveryId : ''));
    const names = [messageId, messageId.toUpperCase(), 'post-7', dog.text, 'GINGER DOG near'];
    for (const name of [...names, ...deliveryIds, deliveryIds[0]?.slice(-12) ?? '']) {
      expect([name, await messages(name)]).toEqual([name, [messageId]]);
    }
    const [first] = await find(deliveryIds[1] ?? '');
    expect(first?.deliveryId).toBe(deliveryIds[1]);
  });

  it('finds an item of a pull source by its own name', async () => {
    await database.admin.query(
      `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
       values ($1, 'feed', 'rss', '{}', $2)`,
      [workspaceId, start],
    );
    const items = [{ itemRef: 'item-7', payload: { text: 'Lost: a dog' } }];
    const chunk = { workspaceId, sourceId: 'feed', items, cursorTo: null };
    await ingestPullChunk(database.service, chunk, start);
    expect(await messages('item-7')).toHaveLength(1);
  });

  it('finds a known content by the source_ref under which it was pushed again', async () => {
    await addEndpoint(database.admin, workspaceId, workspaceId);
    const push = (post: object, now: string) => {
      const rawPayload = JSON.stringify(post);
      const request = { secretHash: hashOf(workspaceId), sizeBytes: 100, rawPayload };
      return ingestPush(database.service, { ...request, traceId: null }, now);
    };
    const { enqueued } = await push(dog, start);
    await push({ ...dog, source_ref: 'copy-7' }, after(30));
    const known = enqueued?.verdict === 'accepted' ? enqueued.messageId : '';
    expect(await messages('copy-7')).toEqual([known]);
  });

  it('looks for a part of a text in the newest 2000 posts, and for the whole text in all', async () => {
    const { messageId } = await take(database.service, workspaceId, { text: 'An old post' });
    await fill(database.admin, [
      {
        text: `insert into outrider.messages
            (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
          select $1, gen_random_uuid(), encode(sha256(n::text::bytea), 'hex'),
            '{"type": "text", "text": "Lost"}', 'trace', $2, $2
          from generate_series(1, 1999) n`,
        values: [workspaceId, after(30)],
      },
    ]);
    expect(await messages('old')).toEqual([messageId]);
    await take(database.service, workspaceId, { text: 'One more' }, after(31));
    expect(await messages('old')).toEqual([]);
    expect(await messages('An old  post')).toEqual([messageId]);
  });

  it('finds words that were copied from a chat: across lines, in any case and form', async () => {
    const post = { title: 'Lost dog', text: 'Ginger.\n\nSeen at the Caf\u00e9.\nCall us' };
    const { messageId } = await take(database.service, workspaceId, post);
    for (const words of [
      'lost DOG\n\nGinger.\n\nSeen',
      'Lost dog Ginger. Seen at',
      'ginger.\r\n\r\n  seen\u00a0at the cafe\u0301. Call',
    ]) {
      expect(await messages(words)).toEqual([messageId]);
    }
    expect(await messages('ginger.seen')).toEqual([]);
  });

  it('finds words in any order, with any punctuation, when no post has them side by side', async () => {
    const text =
      'Пропал котёнок: рыжий, отзывается на «Барсик»! См. https://e.example/cats/7?from=vk';
    const { messageId } = await take(database.service, workspaceId, { title: 'Помогите', text });
    await take(database.service, workspaceId, { text: 'Пропал пёс Барсик' }, after(1));
    for (const words of [
      'котенок',
      'КОТЁНОК пропал',
      'помогите "барсик"',
      'барсик, рыж',
      'рыжий отзывается на барсик!!!',
      'cats/7 котенок',
    ]) {
      expect([words, await messages(words)]).toEqual([words, [messageId]]);
    }
    for (const words of [
      'рыжий пёс',
      'тёнок пропал',
      'cats-8',
      'cats-7',
      '! ?',
      'from-vk рыжий кот 8',
    ]) {
      expect([words, await messages(words)]).toEqual([words, []]);
    }
  });

  it.each([
    ['HTML', 'Lost: a <b>ginger</b> dog &amp; <a href="https://e.example/">its toy</a>'],
    ['Markdown', 'Lost: a **ginger** dog & [its toy](https://e.example/)'],
  ])(
    'finds words of a post in %s as readers see them, and as they were handed in',
    async (mode, text) => {
      const post = { text, parse_mode: mode };
      const { messageId } = await take(database.service, workspaceId, post);
      for (const words of ['a ginger dog & its', 'GINGER dog', text.slice(5, 30), text]) {
        expect(await messages(words)).toEqual([messageId]);
      }
      expect(await messages('**')).toEqual([]);
      expect(await messages('<b></b>')).toEqual([]);
    },
  );

  it('gives the newest first of those that fit alike, and names before texts', async () => {
    const older = await take(database.service, workspaceId, { text: 'A fair', source_ref: 'f' });
    const newer = await take(
      database.service,
      workspaceId,
      { text: 'The fair', source_ref: 'f' },
      after(1),
    );
    expect(await messages('f')).toEqual([newer.messageId, older.messageId]);
    expect(await messages('fair')).toEqual([newer.messageId, older.messageId]);
    expect(await messages('A fair')).toEqual([older.messageId]);
  });

  it('knows nothing of another workspace', async () => {
    const { messageId, channels } = await take(database.service, workspaceId, dog);
    const [verdict] = channels;
    const deliveryId = verdict !== undefined && 'deliveryId' in verdict ? verdict.deliveryId : '';
    workspaceId = await addNewWorkspace(database);
    for (const name of [messageId, deliveryId, 'post-7', dog.text, 'ginger']) {
      expect(await find(name)).toEqual([]);
      const rows = await explainPost(database.service, { workspaceId, search: name }, after(60));
      expect(rows.map((each) => each.messageId)).toEqual([null]);
    }
    const [reason] = await explainDelivery(database.service, { workspaceId, deliveryId }, after(1));
    expect(reason?.detail['reason']).toBe('unknown_delivery');
  });
});

describe('what is said about a post', () => {
  it('masks what people wrote into it and about it', async () => {
    const phone = '+7 916 123-45-67';
    const post = { text: `Call ${phone}`, tags: [phone], source_ref: phone };
    await database.admin.query(
      `update outrider.channels set route_filter = '{"include_any": ["cats"]}'
       where workspace_id = $1 and channel_id = 'pets'`,
      [workspaceId],
    );
    await take(database.service, workspaceId, post);
    const order = { workspaceId, channelIds: ['news'], operator: 'ann@example.com', reason: phone };
    await pauseChannels(database.service, order, after(1));
    const found = await find(phone);
    expect(found).toMatchObject([{ excerpt: 'Call [phone]', sourceRef: '[phone]' }]);
    const reasons = await explainPost(database.service, { workspaceId, search: phone }, after(60));
    expect(reasons.map((each) => each.because)).toEqual([
      'Channel news is paused by [email]: [phone], until somebody resumes it.',
      'The channel takes posts with one of the tags #cats, and this one has #[phone].',
    ]);
    // The number as it was written or joined; its first digits alone may stand in any id.
    expect(JSON.stringify([found, reasons])).not.toMatch(/916\D?123|ann@/);
  });

  it('has a row for every channel, or for the one that is asked for', async () => {
    await take(database.service, workspaceId, dog);
    const about = (channelId?: string) =>
      explainPost(database.service, { workspaceId, search: 'post-7', channelId }, after(60));
    expect(new Set((await about()).map((each) => each.channelId))).toEqual(
      new Set(['news', 'pets']),
    );
    expect(new Set((await about('pets')).map((each) => each.channelId))).toEqual(new Set(['pets']));
    await expect(about('nowhere')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is refused for what is no id of a delivery', async () => {
    const request = { workspaceId, deliveryId: 'the first one' };
    await expect(explainDelivery(database.service, request)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'explain_delivery: delivery_id "the first one" is not the whole id of a delivery',
    });
  });
});
