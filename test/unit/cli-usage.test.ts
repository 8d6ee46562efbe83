import { describe, expect, it } from 'vitest';
import { auth } from '../../src/cli/auth.ts';
import { channels } from '../../src/cli/channels.ts';
import { commands as listed } from '../../src/cli/commands.ts';
import { deliveries } from '../../src/cli/deliveries.ts';
import { erase } from '../../src/cli/erase.ts';
import { events } from '../../src/cli/events.ts';
import { payload } from '../../src/cli/payload.ts';
import { rateGroups } from '../../src/cli/rate-groups.ts';
import { run } from '../../src/cli/run.ts';
import { send } from '../../src/cli/send.ts';
import { status } from '../../src/cli/status.ts';
import { top } from '../../src/cli/top.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';

// Faults of the command line itself: told before a database is opened.

const commands = {
  auth,
  channels,
  deliveries,
  erase,
  events,
  payload,
  rateGroups,
  run,
  send,
  status,
  top,
};
const id = '00000000-0000-4000-8000-000000000001';

describe('a command line', () => {
  it.each<[keyof typeof commands, string[], string]>([
    ['deliveries', ['drop'], 'there are list, show, watch, requeue, resolve and release-stale'],
    ['deliveries', ['reqeue'], 'there is no "reqeue"; did you mean requeue?'],
    ['deliveries', [id], `did you mean: outrider deliveries show ${id}`],
    ['deliveries', ['0198c0de-7d2'], 'did you mean: outrider deliveries show 0198c0de-7d2'],
    ['deliveries', ['show'], 'which delivery? name it by its id; outrider deliveries lists them'],
    ['deliveries', ['show', 'abc'], '"abc" is not the id of a delivery'],
    ['deliveries', ['show', '-abcd'], 'there is no option'],
    ['deliveries', ['list', 'more'], '"more" is one word too many'],
    ['deliveries', ['show', 'first'], '"first" is not the id of a delivery'],
    ['deliveries', ['show', `${id}0`], 'is not the id of a delivery'],
    ['deliveries', ['show', id, id], 'show takes one delivery, not 2'],
    ['deliveries', ['list', '--message', 'first'], '"first" is not the id of a message'],
    ['deliveries', ['list', '--before', 'first'], '"first" is not the id of a delivery'],
    ['deliveries', ['list', '--status', 'lost'], '--status lost: a delivery is queued, claimed'],
    ['deliveries', ['--status', 'faild'], '--status faild: did you mean failed?'],
    ['deliveries', ['--since', 'soon'], '--since soon: it is a span such as 30m, 2h or 1d, or a'],
    ['deliveries', ['--until', '2026-13-40'], '--until 2026-13-40: it is a span'],
    ['deliveries', ['--json', '--format', 'tsv'], '--json and --format tsv contradict each other'],
    ['deliveries', ['--format', 'tabel'], 'there is no format "tabel"; did you mean table?'],
    ['deliveries', ['--interval', '3'], '--interval says how often --watch looks'],
    ['deliveries', ['--watch', '--interval', '0'], '--interval 0: it is a number of seconds'],
    ['deliveries', ['--watch', '--json'], '--watch shows tables'],
    [
      'deliveries',
      ['watch'],
      'which post? name the message by its id, or the post by its source_ref',
    ],
    ['deliveries', ['watch', 'a', 'b'], 'watch takes one post, not 2'],
    ['deliveries', ['watch', 'a', '--every', 'x'], '--every x: it is a number of seconds'],
    ['deliveries', ['watch', 'a', '--timeout', 'soon'], '--timeout soon: it is a span'],
    ['deliveries', ['requeue', '--reason', 'why'], 'which deliveries?'],
    ['deliveries', ['requeue', id, '--all', '--reason', 'w'], '--all is for deliveries that are'],
    [
      'deliveries',
      ['requeue', '--status', 'dead', '--all', '--limit', '5', '--reason', 'w'],
      '--all and --limit contradict',
    ],
    [
      'deliveries',
      ['requeue', '--status', 'dead', '--all', '--over', '1h', '--reason', 'w'],
      '--over spreads 1000 deliveries at most',
    ],
    ['deliveries', ['requeue', id, '--status', 'dead', '--reason', 'why'], 'not both'],
    ['deliveries', ['requeue', id, '--reason', ' '], 'why? --reason says so'],
    ['deliveries', ['requeue', id, '--reason', 'w', '--operator', ''], 'who? --operator is empty'],
    ['deliveries', ['requeue', '--status', 'sent', '--reason', 'w'], 'only what failed can be'],
    ['deliveries', ['requeue', id], 'why? --reason says so'],
    ['deliveries', ['requeue', id, '--over', 'soon', '--reason', 'w'], '--over soon: it is a span'],
    [
      'deliveries',
      ['requeue', id, '--over', '8d', '--reason', 'w'],
      '--over 8d: it is a span such as 10m, of 0 s to 7 days',
    ],
    [
      'deliveries',
      ['release-stale', '--older-than', '0s', '--reason', 'w'],
      '--older-than 0s: it is a span such as 10m, of 1 s to 30 days',
    ],
    ['deliveries', ['resolve', '--as', 'sent', '--reason', 'w'], 'which delivery? name it'],
    ['deliveries', ['resolve', id, '--reason', 'w'], 'what became of it? --as sent'],
    ['deliveries', ['resolve', id, '--as', 'gone', '--reason', 'w'], 'what became of it?'],
    ['deliveries', ['resolve', id, '--as', 'sent', '--reason', 'w'], "needs the platform's id"],
    ['deliveries', ['resolve', id, '7', '--as', 'lost', '--reason', 'w'], 'has no id at the'],
    ['deliveries', ['resolve', id, '7', '8', '--as', 'sent', '--reason', 'w'], 'one word too many'],
    ['deliveries', ['resolve', id, '7', '--as', 'sent'], 'why? --reason says so'],
    ['deliveries', ['release-stale'], 'why? --reason says so'],
    [
      'deliveries',
      ['release-stale', '--older-than', 'x', '--reason', 'w'],
      '--older-than x: it is',
    ],
    ['top', ['--every', '0'], '--every 0: it is a number of seconds from 1 to 3600'],
    ['top', ['--every', ' '], '--every  : it is a number of seconds'],
    ['top', ['--filter', 'status:faild'], '--filter: status:faild: did you mean failed?'],
    ['top', ['news'], '"news" is one word too many'],
    ['events', ['--delivery', 'first'], '"first" is not the id of a delivery'],
    ['events', ['--since', 'soon'], '--since soon: it is a span such as 30m'],
    ['events', ['dead_letter'], '"dead_letter" is one word too many'],
    ['rateGroups', ['disable', '--reason', 'w'], 'which rate groups? name them'],
    ['rateGroups', ['disable', 'bot'], 'why? --reason says so'],
    ['rateGroups', ['telegram/bot'], 'did you mean: outrider rate-groups disable telegram/bot'],
    ['auth', ['rotate', '--to', 'new', '--reason', 'w'], 'which channels? name them'],
    ['auth', ['rotate', 'news', '--reason', 'w'], 'which credential do they get? --to names it'],
    ['auth', ['rotate', 'news', '--to', 'new'], 'why? --reason says so'],
    ['deliveries', ['list', '--limit', '0'], '--limit 0: it is a number from 1 to 1000'],
    ['deliveries', ['list', '--limit', '1001'], '--limit 1001'],
    ['deliveries', ['list', '--limit', '1.5'], '--limit 1.5'],
    ['payload', ['read'], 'there is no "read"; there are show and link'],
    ['payload', ['show'], 'which payload? events name it; outrider deliveries show does'],
    ['payload', ['show', 'a', 'b', '--reason', 'w'], 'it takes one payload, not 2'],
    ['payload', ['show', 'a'], 'why? --reason says so'],
    ['payload', ['link', 'a'], 'why? --reason says so'],
    ['payload', ['link', 'a', '--reason', 'w', '--for', '2h'], '--for 2h: it is a span such as'],
    ['payload', ['link', 'a', '--reason', 'w', '--url', 'x'], '--url x: it is an address such as'],
    ['erase', ['--reason', 'w'], 'whom? --contact is a phone number, an e-mail address or an'],
    ['erase', ['--contact', ' ', '--reason', 'w'], 'whom? --contact is'],
    ['erase', ['--contact', '-', '--reason', 'w'], 'whom? --contact is'],
    ['erase', ['--contact', '+79161234567'], 'why? --reason says so'],
    ['erase', ['+79161234567'], 'is one word too many'],
    ['channels', ['puase'], 'there is no "puase"; did you mean pause?'],
    [
      'channels',
      ['tg-news'],
      'there is no "tg-news"; there are list, pause, resume, enable, disable and doctor; did you mean: outrider channels list tg-news',
    ],
    ['channels', ['tg-*'], "did you mean: outrider channels list 'tg-*'"],
    ['auth', ['telegram-bot'], 'did you mean: outrider auth check telegram-bot'],
    ['channels', ['pause'], "which channels? name them ('*' for all), or choose"],
    ['channels', ['pause', 'a'], 'why? --reason says so'],
    ['channels', ['pause', 'a', '--for', 'ever', '--reason', 'w'], '--for ever: it is a span'],
    ['channels', ['pause', 'a', '--for', '0h', '--reason', 'w'], '--for 0h: it is a span'],
    ['channels', ['pause', 'a', '--until', 'noon', '--reason', 'w'], '--until noon: it is a time'],
    ['channels', ['pause', 'a', '--for', '1h', '--until', 'x'], 'give one of them'],
    ['channels', ['resume', 'a', '--for', '1h'], 'resume has no end'],
    [
      'channels',
      ['--state', 'asleep'],
      '--state asleep: a channel is open, paused, cooling, resting',
    ],
    ['channels', ['--state', 'pausd'], '--state pausd: did you mean paused?'],
    ['run', [], 'which role? there are adapters, ingest, pull'],
    ['status', ['now'], '"now" is one word too many'],
    ['send', [], 'what is to be sent?'],
    ['send', ['--tag', 'a'], 'what is to be sent?'],
    ['send', ['Hello'], '"Hello": give a text with --text'],
    ['send', ['--text', 'a', '-'], 'give the post with one of --file, --text and -'],
    ['send', ['--text', 'a', '--file', 'b'], 'give the post with one of --file, --text and -'],
  ])('of %s says what is wrong with %j', async (name, args, words) => {
    await expect(commands[name].run(args, recordingTerminal())).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(words),
    });
  });

  it.each([
    ['{"text": ', 'standard input is not JSON: '],
    [' {"text" "a"}', 'standard input is not JSON: '],
  ])('of send does not send %j as a text', async (input, words) => {
    await expect(send.run(['-'], recordingTerminal({ input }))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(words),
    });
  });

  it.each([
    ['/nowhere/post.json', '/nowhere/post.json is not there'],
    ['/', '/ cannot be read'],
    [`${import.meta.dirname}/../../LICENSE`, 'is not JSON'],
  ])('of send names a file that holds no post: %s', async (file, words) => {
    await expect(send.run(['--file', file], recordingTerminal())).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(words),
    });
  });
});

describe.each(listed)('the usage of $name', ({ name, load }) => {
  it('begins with the command, offers JSON, and fits the width of a page', async () => {
    const { usage } = await load();
    expect(usage).toMatch(new RegExp(`^outrider ${name}( |\n)`));
    expect(usage).toContain('--json');
    expect(Math.max(...usage.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

it.each(Object.entries({ channels, deliveries, events, rateGroups, send, status }))(
  '%s takes a workspace',
  (_, { usage }) => {
    expect(usage).toContain('--workspace');
  },
);
