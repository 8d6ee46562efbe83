import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { capacity } from '../../src/cli/capacity.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';

async function said(...args: string[]): Promise<string> {
  const terminal = recordingTerminal();
  expect(await capacity.run(args, terminal)).toBe(0);
  expect(terminal.printedErrors()).toBe('');
  return terminal.printed();
}

describe('outrider capacity', () => {
  it('has an example for whoever says nothing', async () => {
    const text = await said();
    expect(text).toContain('100 posts a day to 40 of 40 channels (24 telegram, 16 max)\n');
    expect(text).toContain('4,000 deliveries a day, 0.23 a second at peak (5 times the average)\n');
    expect(text).toMatch(/^telegram rate group +0\.14 +17\.5 +calls\/s +< 1 %$/m);
    expect(text).toMatch(
      /All of it is carried\. The limit is .+, which ends at [\d,]+ posts a day;/,
    );
  });

  it('names every part that is used up, the limit first, and what to do about it', async () => {
    const text = await said('--telegram', '2000', '--vk', '3', '--posts-per-day', '1000');
    expect(text).toMatch(/^vk posts of a day .+ 2,000 % {2}too much$/m);
    expect(text).toMatch(/^telegram rate group .+ 661 % {2}never catches up$/m);
    expect(text).toMatch(
      /The limit is vk posts of a day, which ends at 50 posts a day\.\n {2}vk posts of a day: route fewer/,
    );
    expect(text).toContain('  telegram rate group: spread the channels over more credentials');
  });

  it('tells what is late at peak from what never catches up', async () => {
    const text = await said('--channels', '400', '--posts-per-day', '1000', '--peak', '10');
    expect(text).toMatch(/^telegram rate group .+ 265 % {2}late at peak, catches up$/m);
    const more = await said('--channels', '400', '--posts-per-day', '10000', '--peak', '10');
    expect(more).toMatch(/^telegram rate group .+ 2,646 % {2}never catches up$/m);
  });

  it('takes a share of the channels, or their number', async () => {
    const half = await said('--channels', '40', '--channels-per-post', '50%');
    expect(half).toContain('to 20 of 40 channels (40 telegram)');
    expect(await said('--channels', '40', '--channels-per-post', '20')).toBe(half);
  });

  it('multiplies a workspace', async () => {
    const text = await said('--workspaces', '1000');
    expect(text).toContain('in each of 1,000 workspaces\n4,000,000 deliveries a day');
  });

  it('is one document in JSON, and a line for each part in tsv', async () => {
    const Document = z.object({
      deliveries_per_day: z.number(),
      limit: z.string(),
      most_posts_per_day: z.number(),
      workload: z.object({ posts_per_day: z.number(), platforms: z.array(z.unknown()) }),
      parts: z.array(z.object({ part: z.string(), use: z.number(), remedy: z.string() })),
    });
    const document = Document.parse(JSON.parse(await said('--json')));
    expect(document.parts.map(({ part }) => part)).toContain(document.limit);
    const tsv = (await said('--format', 'tsv')).trimEnd().split('\n');
    expect(tsv[0]).toBe('part\tused\tcarries\tunit\tuse\tat_peak\tremedy');
    expect(tsv).toHaveLength(1 + document.parts.length);
  });

  it('counts one post, one channel and one delivery in the singular', async () => {
    const shown = await said('--channels', '1', '--posts-per-day', '1');
    expect(shown).toMatch(/^1 post a day to 1 of 1 channel \(1 telegram\)\n1 delivery a day,/);
  });

  it('prints what docs/scaling.md shows of it', async () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/scaling.md'), 'utf8');
    const [, args = '', shown = ''] =
      /^\$ outrider capacity (.+)\n([\s\S]+?)^```$/m.exec(page) ?? [];
    expect(await said(...args.split(' '))).toBe(shown);
  });

  it.each<[string[], string]>([
    [['--posts-per-day', '0'], '--posts-per-day 0: it is a number from 1 to 1000000000'],
    [['--posts-per-day', 'many'], '--posts-per-day many: it is a number'],
    [['--channels', '1.5'], '--channels 1.5: it is a whole number'],
    [['--channels', '5', '--vk', '1'], '--channels and --vk contradict each other'],
    [['--platform', 'vk'], 'how many are there?'],
    [['--channels', '5', '--platform', 'fax'], 'there are telegram, max, vk'],
    [['--telegram', '0'], 'there is no channel to send to'],
    [['--channels', '5', '--channels-per-post', '6'], 'there are only 5 channels'],
    [['--channels-per-post', '0%'], 'a post goes to some channels'],
    [['--channels-per-post', '101%'], '--channels-per-post 101: it is a number from 0 to 100'],
    [['--media', '3'], '--media 3: it is a share such as 30%'],
    [['--peak', '0.5'], '--peak 0.5: it is a number from 1 to 1000'],
    [['--chanels', '5'], 'did you mean --channels?'],
    [['100'], '"100" is one word too many'],
  ])('says what is wrong with %j', async (args, words) => {
    await expect(capacity.run(args, recordingTerminal())).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(words),
    });
  });
});
