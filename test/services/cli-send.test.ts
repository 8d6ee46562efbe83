import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openClient } from '../../src/db/pool.ts';
import { type Ended, runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';

// As a process of its own, judged by what it prints, how it ends and what it leaves.

const database = await useDatabase();
const folder = await useFolder();

const workspaceId = 'city';

beforeAll(async () => {
  await addWorkspace(database.admin, workspaceId);
  await addChannel(database.admin, workspaceId, 'news');
  await addChannel(database.admin, workspaceId, 'pets', {
    route_filter: JSON.stringify({ include_any: ['lost'] }),
  });
});

/** `outrider send` with these words and this standard input. */
function send(args: readonly string[], input = ''): Promise<Ended> {
  return runOutrider(['send', ...args], { databaseUrl: database.url, input });
}

const Verdicts = z.object({
  message_id: z.string(),
  seen: z.string(),
  channels: z.array(
    z.object({ channel_id: z.string(), verdict: z.string(), delivery_id: z.string().optional() }),
  ),
});

describe('outrider send', () => {
  it('queues a text, says so for each channel, and wakes the dispatchers', async () => {
    const listener = await openClient({ url: database.url, applicationName: 'outrider test' });
    const woken = new Promise((resolve) => listener.once('notification', resolve));
    await listener.query('listen outrider_wake');
    const words = ['--text', 'Roadworks in Main Street', '--url', 'https://a.test/1'];
    const { code, out, err } = await send([...words, '--workspace', workspaceId]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(tabbed(out)).toEqual([
      {
        channel_id: 'news',
        verdict: 'queued',
        delivery_id: expect.stringMatching(/^[\da-f-]{36}$/),
        words: expect.stringMatching(/^It is due, and no process that sends /),
      },
      {
        channel_id: 'pets',
        verdict: 'not_routed',
        delivery_id: '',
        words: 'The channel takes posts with one of the tags #lost, and this one has no tags.',
      },
    ]);
    await woken;
    await listener.end();
  });

  it('takes a post from a file with tags and a time, and knows it when it comes again', async () => {
    const file = path.join(folder, 'post.json');
    const post = JSON.stringify({ text: 'Lost: a ginger dog', tags: ['dog'] });
    await writeFile(file, post);
    const at = new Date(Date.now() + 7_200_000).toISOString();
    const about = ['--tag', 'lost', '--source-ref', 'p-1', '--title', 'Dog'];
    const asked = ['--file', file, ...about, '--scheduled-for', at, '--workspace', workspaceId];
    const first = Verdicts.parse(JSON.parse((await send([...asked, '--json'])).out));
    expect(first).toMatchObject({
      seen: 'first',
      channels: [{ verdict: 'queued' }, { verdict: 'queued' }],
    });
    const { rows } = await database.admin.query(
      `select m.tags, m.source_ref, m.payload ->> 'title' as title, d.scheduled_for = $2 as timely
       from outrider.messages m join outrider.deliveries d using (workspace_id, message_id)
       where m.message_id = $1 limit 1`,
      [first.message_id, at],
    );
    expect(rows).toEqual([
      { tags: ['dog', 'lost'], source_ref: 'p-1', title: 'Dog', timely: true },
    ]);

    const input = JSON.stringify({ text: 'Lost: a ginger dog', title: 'Dog' });
    const again = await send(['-', '--workspace', workspaceId], input);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(tabbed(again.out)).toMatchObject([
      {
        verdict: 'deduped',
        delivery_id: first.channels[0]?.delivery_id,
        words: `The same post was on its way to channel news when this one came, as delivery ${first.channels[0]?.delivery_id}.`,
      },
      { verdict: 'deduped', delivery_id: first.channels[1]?.delivery_id },
    ]);
  });

  it('is done when the only channel that takes the post has it already', async () => {
    const post = ['--text', 'A post for news alone', '--workspace', workspaceId];
    await send(post);
    const { code, out } = await send(post);
    expect(code).toBe(0);
    expect(tabbed(out)).toMatchObject([{ verdict: 'deduped' }, { verdict: 'not_routed' }]);
  });

  it('fails when no channel takes the post, and says why of each', async () => {
    await addWorkspace(database.admin, 'picky');
    await addChannel(database.admin, 'picky', 'any', {
      route_filter: JSON.stringify({ include_all: ['a', 'b'], exclude: ['c'] }),
    });
    await addChannel(database.admin, 'picky', 'off', { enabled: false });
    await addChannel(database.admin, 'picky', 'media', { send_mode: 'media' });
    const { code, out } = await send(['--workspace', 'picky', '--text', 'Hello', '--tag', 'a']);
    expect(code).toBe(1);
    expect(tabbed(out)).toMatchObject([
      {
        channel_id: 'any',
        words: 'The channel takes posts with all of the tags #a, #b, and this one lacks #b.',
      },
      {
        channel_id: 'media',
        verdict: 'validation_failed',
        words: expect.stringContaining('media only'),
      },
      { channel_id: 'off', words: 'The channel is disabled, and takes no posts.' },
    ]);
  });

  it('says what is wrong with a post', async () => {
    const { code, out, err } = await send(['-', '--workspace', workspaceId], '{"txt": "Hello"}');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^outrider send: the post cannot be taken in: .*"txt"/);
    expect(err).not.toMatch(/\n\s+at /);
  });
});
