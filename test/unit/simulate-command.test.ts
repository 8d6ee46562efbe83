import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { diffOf } from '../../src/cli/replay/text-diff.ts';
import { replay } from '../../src/cli/replay.ts';
import { changeFromValues } from '../../src/cli/simulate/changes.ts';
import { plotted } from '../../src/cli/simulate/plot.ts';
import { postsInFile } from '../../src/cli/simulate/posts.ts';
import { drawn } from '../../src/cli/simulate/svg.ts';
import { simulate } from '../../src/cli/simulate.ts';
import { InvalidInputError } from '../../src/errors.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'outrider-simulate-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a command line of simulate and replay that is wrong is refused before a database is opened', () => {
  it.each([
    ['--faults timeot=2%', 'there is no fault "timeot"; did you mean timeout?'],
    ['--faults 429', '429: write a fault and its share, such as 429=2%'],
    ['--faults 429=120%', 'a share is from 0 to 1, or up to 100%'],
    ['--faults 429=60%,timeout=60%', 'more than all calls would fail'],
    ['--answer-ms icq=200', 'write a number of milliseconds, such as 200, or telegram=200'],
    ['--posts 0', 'it is a number from 1 to 100000'],
    ['--over soon', 'it is a span such as 90s, 10m, 8h or 2d'],
    ['--start tomorrow', 'it is a time such as 2026-03-02T18:00+03:00'],
    ['--posts 5 --recent 5', 'give the posts in one way, not with --recent and --posts'],
    ['--posts 5 --since 1d', '--since and --until choose recorded posts'],
    ['one.json two.json', 'one file of posts at a time, not also two.json'],
    ['--rate 5', 'there is no option --rate'],
  ])('simulate %s', async (line, said) => {
    const run = simulate.run(line.split(' '), recordingTerminal());
    await expect(run).rejects.toThrow(UsageError);
    await expect(run).rejects.toThrow(said);
  });

  it.each([
    ['--recent 5', 'what is to be changed? name a configuration file, or give values with --set'],
    ['a.yaml --with b.yaml', 'give one configuration file, either as FILE or with --with'],
    ['a.yaml --limit none', '--limit none: it is a number from 1 to 1000'],
  ])('replay %s', async (line, said) => {
    await expect(replay.run(line.split(' '), recordingTerminal())).rejects.toThrow(said);
  });
});

describe('a file of posts', () => {
  const read = async (text: string) => {
    const file = join(folder, 'posts');
    writeFileSync(file, text);
    return postsInFile(file, recordingTerminal());
  };

  it.each([
    ['a list in JSON', '[{"text": "one"}, {"text": "two"}]'],
    ['a list in YAML', '- text: one\n- text: two\n'],
    ['one JSON object in each line', '{"text": "one"}\n\n{"text": "two"}\n'],
    ['several YAML documents', 'text: one\n---\ntext: two\n'],
  ])('may be %s', async (_form, text) => {
    expect(await read(text)).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it('may be one post', async () => {
    expect(await read('{"text": "one"}')).toEqual([{ text: 'one' }]);
  });

  it.each([
    ['', 'holds no post'],
    ['["one"]', 'post 1 is no object'],
    ['{"text": "one"}\n{"text": }', 'line 2 is not JSON'],
    ['[{"text": "one"', 'cannot be read'],
  ])('that is wrong is refused with the place: %j', async (text, said) => {
    await expect(read(text)).rejects.toThrow(InvalidInputError);
    await expect(read(text)).rejects.toThrow(said);
  });

  it('that is not there is named, with one to start from', async () => {
    await expect(postsInFile(join(folder, 'none'), recordingTerminal())).rejects.toThrow(
      'there is no file',
    );
  });
});

describe('--set', () => {
  const channel = { platform: 'telegram', auth_ref: 'bot' };
  const document = {
    credentials: { bot: { platform: 'telegram', secret_ref: 'env:TOKEN' } },
    channels: { 'tg-1': channel, 'tg-2': channel, 'a.b': channel },
  };
  const changed = (...values: string[]) => changeFromValues(values, document).document;

  it('takes a path of the configuration file, and a value as YAML has it', () => {
    expect(
      changed(
        'channels.tg-1.rate_rps=2',
        'channels.tg-1.route_filter={exclude: [ads]}',
        'settings.max_attempts=3',
      ),
    ).toEqual({
      channels: { 'tg-1': { rate_rps: 2, route_filter: { exclude: ['ads'] } } },
      settings: { max_attempts: 3 },
    });
  });

  it('means several channels by a pattern, and a key with a dot in quotes', () => {
    expect(changed("channels.'tg-*'.max_parallel=4", "channels.'a.b'.enabled=false")).toEqual({
      channels: {
        'tg-1': { max_parallel: 4 },
        'tg-2': { max_parallel: 4 },
        'a.b': { enabled: false },
      },
    });
  });

  it('makes a credential that a channel gets and that is new', () => {
    expect(changed('channels.tg-1.auth_ref=bot2', 'channels.tg-2.auth_ref=bot')).toMatchObject({
      credentials: { bot2: { platform: 'telegram' } },
      channels: { 'tg-1': { auth_ref: 'bot2' }, 'tg-2': { auth_ref: 'bot' } },
    });
  });

  it('takes the limit of a rate group that channels are in, or that a change puts them in', () => {
    expect(
      changed('channels.tg-1.rate_group=slow', 'rate_groups.telegram.slow.rate_rps=1'),
    ).toMatchObject({ rate_groups: { telegram: { slow: { rate_rps: 1 } } } });
    expect(changed('rate_groups.telegram.bot.rate_rps=1')).toMatchObject({
      rate_groups: { telegram: { bot: { rate_rps: 1 } } },
    });
  });

  it.each([
    ['channels.tg-1.rate_rps', 'it is a path and a value'],
    ['channels.tg-1.pace=2', 'channels.tg-1 has no key "pace"'],
    ['channels.tg-1.rate_rps=fast', 'channels.tg-1.rate_rps must be a number'],
    ['channels.tg-3.rate_rps=2', 'there is no channel "tg-3"; did you mean tg-1?'],
    ['chanels.tg-1.rate_rps=2', 'did you mean channels?'],
    ['endpoints.push.ingress_rps=2', 'nothing under "endpoints" changes when posts go out'],
    ['rate_groups.telegram=2', 'the path is too short'],
    ['rate_groups.telegram.bto.rate_rps=2', 'no channel is in such a rate group; there is bot'],
    ['rate_groups.vk.bot.rate_rps=2', 'no channel is in such a rate group; none is of vk'],
    ['channels.tg-1.tags=[a', 'the value cannot be read'],
  ])('is refused where it is wrong: %s', (value, said) => {
    expect(() => changed(value)).toThrow(UsageError);
    expect(() => changed(value)).toThrow(said);
  });
});

describe('a plot', () => {
  it('is as wide as the terminal and shows every peak', () => {
    const values = Array.from({ length: 500 }, (_, n) => (n === 250 ? 1200 : 0));
    const lines = plotted({
      title: 'waiting',
      values,
      width: 60,
      height: 3,
      from: '10:00',
      to: '11:00',
    });
    expect(lines).toEqual([
      'waiting',
      `1,200 ┤${' '.repeat(26)}█`,
      `      ┤${' '.repeat(26)}█`,
      `      ┤${' '.repeat(26)}█`,
      `    0 ┼${'─'.repeat(53)}`,
      `       10:00${' '.repeat(43)}11:00`,
    ]);
  });
});

describe('a drawing', () => {
  it('escapes what others have named', () => {
    const point = { at: 0, waiting: 1, sent: 0 };
    const summary = {
      beganAt: 0,
      series: [point, { at: 1000, waiting: 0, sent: 1 }],
    };
    const svg = drawn('<script>&"', [{ name: 'a<b', summary }]);
    expect(svg).toContain('&lt;script&gt;&amp;&quot;');
    expect(svg).toContain('a&lt;b');
    expect(svg).not.toContain('<script>');
  });
});

describe('a diff of two texts', () => {
  it('keeps what both have, and shows the rest in its place', () => {
    const lines = diffOf('Lost dog\nGinger\nCall us', 'Lost dog\nGinger, Bim\nCall us\n#lost');
    expect(lines.map(({ sign, text }) => `${sign} ${text}`)).toEqual([
      '  Lost dog',
      '- Ginger',
      '+ Ginger, Bim',
      '  Call us',
      '+ #lost',
    ]);
  });
});
