import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { channels } from '../../src/cli/channels.ts';
import { type Command, Interrupted } from '../../src/cli/command.ts';
import { deliveries } from '../../src/cli/deliveries.ts';
import { send } from '../../src/cli/send.ts';
import { status } from '../../src/cli/status.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addWorkspace,
  setGroup,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// What a person sees: the commands on a terminal that keeps what it is told.

const database = await useDatabase();
let retried: string;

const workspaceId = 'city';
const ahead = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', database.url);
  const { admin, service } = database;
  await addWorkspace(admin, workspaceId, { sending_lease: '1 hour' });
  await addChannel(admin, workspaceId, 'news', { title: 'Город 🏙' });
  await addChannel(admin, workspaceId, 'pets', {
    paused_until: ahead(3700),
    error_streak: 2,
    stopped_because: JSON.stringify({ code: '403', message: 'kicked' }),
  });
  await addBacklog(admin, workspaceId, ['news'], 3);
  const [first, second, third] = await claimDeliveries(service, {
    workspaceId,
    runId: 'run',
    limit: 3,
  });
  if (first === undefined || second === undefined || third === undefined) {
    throw new Error('three were not claimed');
  }
  retried = first.deliveryId;
  const error = { code: '503', message: 'try\u001b[31m later', retryAfterMs: 900_000 };
  const parts = [{ item: 1, providerMessageId: '77' }];
  await commitOutcomes(service, workspaceId, [{ ...failed(first, error), parts }, sent(second)]);
  await admin.query(
    `update outrider.deliveries set render_meta = render_meta || $2, rendered_text = $3 where delivery_id = $1`,
    [
      retried,
      JSON.stringify({ parts: [{ kind: 'text' }, { kind: 'media', media: [0, 1] }] }),
      'Lost:\na ginger dog',
    ],
  );
  await addDelivery(admin, workspaceId, 'news', { not_before: ahead(7300) });
  await addDelivery(admin, workspaceId, 'pets', { created_at: ahead(-200) });
});

afterAll(async () => {
  vi.unstubAllEnvs();
});

async function shown(command: Command, ...args: string[]): Promise<string> {
  const terminal = recordingTerminal();
  expect(await command.run([...args, '--workspace', workspaceId], terminal)).toBe(0);
  expect(terminal.printedErrors()).toBe('');
  return terminal.printed();
}

describe('on a terminal', () => {
  it('outrider status is one screen', async () => {
    const screen = await shown(status);
    expect(screen).toMatch(/^city \(city\) is active$/m);
    expect(screen).toMatch(/^ {2}waiting +1 due · 1 scheduled · 1 retrying · 0 claimed$/m);
    expect(screen).toMatch(/^ {2}oldest due +3 min( \d+ s)? ago in pets, [\da-f-]{36}$/m);
    expect(screen).toMatch(/^ {2}sending +1$/m);
    expect(screen).toMatch(/^ {2}channels +1 open · 1 paused$/m);
    expect(screen).toMatch(
      /^ {2}last hour +1 sent · 1 retried · 0 failed · 0 dead · 0 deduped · 0 refused · 0 repeated$/m,
    );
    expect(screen).toMatch(/^ {2}503 +1 +\S.* news +try \[31m later$/m);
    expect(screen.split('\n').length).toBeLessThan(24);
  });

  it('outrider channels list says until when a channel does not send', async () => {
    const screen = await shown(channels, 'list');
    expect(screen).toMatch(
      /^channel +platform +state +why +waiting +errors +credential +group +sending +last sent/m,
    );
    expect(screen).toMatch(/^news +telegram +open +2 +0 +bot +bot +1\/100 +\S/m);
    expect(screen).toMatch(
      /^pets +telegram +paused, opens in 1 h \d min +403: kicked +1 +2 +bot +bot +0\/100 +– /m,
    );
    expect(screen.indexOf('pets')).toBeLessThan(screen.indexOf('news'));
  });

  it('outrider channels says that nothing matches a pattern', async () => {
    expect(await shown(channels, 'list', 'max-*')).toBe(
      'There are none of that kind. outrider channels lists all.\n',
    );
  });

  it('outrider deliveries list says when, in words', async () => {
    const screen = await shown(deliveries, 'list');
    expect(screen).toMatch(/^[\da-f-]{36} +news +queued +0 +in 2 h \d min +Lost:/m);
    expect(screen).toMatch(
      /^[\da-f-]{36} +news +retry +1 +in 1\d min +503: try \[31m later +Lost:/m,
    );
    expect(screen).toMatch(
      /^[\da-f-]{36} +pets +queued +0 +3 min( \d+ s)? ago +channel paused, opens in 1 h \d min: 403: /m,
    );
    expect(screen).not.toContain('more:');
    expect(await shown(deliveries, 'list', '--limit', '2')).toMatch(
      /more: the same with --before [\da-f-]{36}$/m,
    );
    expect(await shown(deliveries, 'list', '--status', 'dead')).toBe('There are none.\n');
  });

  it('outrider deliveries show tells the whole story', async () => {
    const screen = await shown(deliveries, 'show', retried);
    expect(screen).toMatch(
      new RegExp(
        `^${retried} is retry\n {2}Telegram could not be reached, [^→]* Until \\S+Z \\(in 1\\d\\s+min\\)\\.\n {2}→ Nothing`,
      ),
    );
    expect(screen).toMatch(/^ {2}channel +news \(telegram -100news, "Город 🏙"\)$/m);
    expect(screen).toMatch(/^ {2}attempts +1 of 5, and it may have arrived$/m);
    expect(screen).toMatch(/^ {2}parts +text not sent · 2 media sent as 77$/m);
    expect(screen).toMatch(/^ {2}last error +503: try \[31m later, asks to wait 15 min$/m);
    expect(screen).toMatch(/^ {2}│ Lost:\n {2}│ a ginger dog$/m);
    expect(screen).toMatch(
      /^ {2}\S+Z +\S.*retry_scheduled +1 +503: try \[31m later, asks to wait 15 min; again at/m,
    );
  });

  it('outrider send names the message and the channels', async () => {
    const terminal = recordingTerminal({ input: 'A fair in the park\non Sunday' });
    expect(await send.run(['-', '--workspace', workspaceId], terminal)).toBe(0);
    expect(terminal.printed()).toMatch(
      /^message [\da-f-]{36}, trace [\da-f-]{36}\n\nchannel +verdict/,
    );
    expect(terminal.printed()).toMatch(
      /^news +queued +[\da-f-]{36} +It is due and the first of channel news: a dispatcher takes it next\.$/m,
    );
    expect(terminal.printed()).toMatch(
      /^pets +queued +[\da-f-]{36} +Channel pets is paused, because Telegram refused it: 403: kicked\. Until 20/m,
    );
    const again = recordingTerminal({ input: '{"text": "A fair in the park\\non Sunday"}' });
    expect(await send.run(['-', '--workspace', workspaceId], again)).toBe(0);
    expect(again.printed()).toMatch(/^message [\da-f-]{36}, known before, trace/);
  });
});

describe('a rate group that does not send', () => {
  const workspace = 'stopped';
  let waiting: string;
  let limited: string;

  beforeAll(async () => {
    const { admin } = database;
    await addWorkspace(admin, workspace);
    await admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, 'bot', 'telegram', 'env:BOT', now())`,
      [workspace],
    );
    await addChannel(admin, workspace, 'news');
    await addChannel(admin, workspace, 'pets');
    await addChannel(admin, workspace, 'city', { rate_group: 'second' });
    await addChannel(admin, workspace, 'tg-1', { rate_group: 'third' });
    await addChannel(admin, workspace, 'tg-2', { rate_group: 'third' });
    limited = await addDelivery(admin, workspace, 'tg-2', { created_at: ahead(-200) });
    waiting = await addDelivery(admin, workspace, 'news', { created_at: ahead(-200) });
    await setGroup(admin, workspace, { closed_at: ahead(0), closed_auth_ref: 'bot' });
    await setGroup(admin, workspace, {
      rate_group: 'second',
      outage_since: ahead(0),
      outage_channels: ['city', 'town'],
      resting_until: ahead(535),
      last_error: { code: 'unreachable', message: 'the connection was refused' },
    });
    await setGroup(admin, workspace, {
      rate_group: 'third',
      cooldown_until: ahead(535),
      last_error: { code: '429', message: 'slower' },
    });
  });

  const refused =
    'credential bot \\(env:BOT\\) was refused by Telegram: replace the token, then `outrider auth check`';
  const ill =
    '2 of its channels in a row found the platform ill: unreachable: the connection was refused';

  async function screen(command: Command, ...args: string[]): Promise<string> {
    const terminal = recordingTerminal();
    await command.run([...args, '--workspace', workspace], terminal);
    return terminal.printed();
  }

  it('is named by outrider status, with until when and why', async () => {
    const text = await screen(status);
    expect(text).toMatch(/^ {2}channels +2 cooling down · 1 resting · 2 credential refused$/m);
    expect(text).toMatch(/^ {14}telegram\/third cools down 8 min( \d+ s)? more: 429: slower$/m);
    expect(text).toMatch(new RegExp(`^ {2}groups +telegram/bot does not send: ${refused}$`, 'm'));
    expect(text).toMatch(
      new RegExp(`^ {14}telegram/second rests, is probed in 8 min( \\d+ s)?: ${ill}$`, 'm'),
    );
  });

  it('is explained once above outrider channels, not with each of its channels', async () => {
    const text = await screen(channels);
    expect(text).toMatch(/^news +telegram +group: credential refused +1 /m);
    expect(text).toMatch(/^city +telegram +group: resting +0 /m);
    expect(text).toMatch(/^tg-2 +telegram +group: cooling down +1 /m);
    expect(text).toMatch(
      new RegExp(`^telegram/bot does not send: ${refused} \\(2 channels\\)$`, 'm'),
    );
    expect(text).toMatch(
      new RegExp(`^telegram/second rests, is probed in 8 min( \\d+ s)?: ${ill}$`, 'm'),
    );
    expect(text).toMatch(
      /^telegram\/third cools down 8 min( \d+ s)? more: 429: slower \(2 channels\)$/m,
    );
    expect(text.match(/slower/g)).toHaveLength(1);
  });

  it('stands beside the pauses of its channels', async () => {
    const { admin } = database;
    const stopped = { stopped_because: JSON.stringify({ operator: 'anna', reason: 'moves' }) };
    const noWindow = { window_mode: 'windowed', timezone: 'UTC', posting_window: '{}' };
    await addChannel(admin, workspace, 'both', { paused_until: ahead(535), ...stopped });
    await addChannel(admin, workspace, 'night', {
      rate_group: 'fourth',
      paused_until: ahead(535),
      ...noWindow,
      ...stopped,
    });
    const text = await screen(channels, '--state', 'paused');
    expect(text).toMatch(
      /^both +telegram +group: credential refused; paused 8 min( \d+ s)? more +by anna: moves +0 /m,
    );
    expect(text).toMatch(
      /^night +telegram +closed; paused 8 min( \d+ s)? more +outside its posting window; by anna: moves +0 /m,
    );
    expect(text).not.toMatch(/^(news|tg-1) /m);
    const documents: unknown = JSON.parse(await screen(channels, 'list', 'night', '--json'));
    expect(documents).toMatchObject([
      {
        state: 'closed',
        gates: [{ state: 'closed' }, { state: 'paused', reason: 'by anna: moves' }],
      },
    ]);
    await admin.query(
      `delete from outrider.channels where workspace_id = $1 and channel_id in ('both', 'night')`,
      [workspace],
    );
  });

  it('is what outrider deliveries show gives as the reason', async () => {
    expect(await screen(deliveries, 'show', waiting)).toMatch(
      new RegExp(
        `^${waiting} is queued\n {2}Rate group bot is closed, because Telegram refused credential bot \\(env:BOT\\)\\.\n {2}→ Replace the token`,
      ),
    );
    expect(await screen(deliveries, 'show', limited)).toMatch(
      /Telegram asked rate group third, to which channel tg-2 belongs, to wait: 429: slower\. Until\s+\S+Z\s+\(in 8/,
    );
  });

  it('is what outrider deliveries gives as the reason, in brief', async () => {
    expect(await screen(deliveries, '--channel', 'tg-2')).toMatch(
      /queued +0 +3 min( \d+ s)? ago +group cools down 8 min( \d+ s)? more: 429: /,
    );
  });
});

describe('--watch', () => {
  it.each([
    ['status', status],
    ['channels', channels],
    ['deliveries', deliveries],
  ])('shows outrider %s until the terminal is told to stop', async (_, command) => {
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const terminal = recordingTerminal({ stopped });
    const watched = command.run(['--watch', '--workspace', workspaceId], terminal);
    await vi.waitFor(() => expect(terminal.printed()).toContain('Ctrl-C ends'), 30_000);
    stop();
    await expect(watched).rejects.toBeInstanceOf(Interrupted);
  });
});

describe('outrider send', () => {
  it('sums up the channels that do not take a post when they are many', async () => {
    await addWorkspace(database.admin, 'forty');
    const filter = { route_filter: JSON.stringify({ include_any: ['lost'] }) };
    await addChannel(database.admin, 'forty', 'news');
    for (let n = 10; n < 15; n += 1) await addChannel(database.admin, 'forty', `c${n}`, filter);
    await addChannel(database.admin, 'forty', 'off', { enabled: false });
    const terminal = recordingTerminal();
    expect(await send.run(['--text', 'Hello', '--workspace', 'forty'], terminal)).toBe(0);
    const lines = terminal.printed().trimEnd().split('\n').slice(3);
    expect(lines).toEqual([
      expect.stringMatching(/^news +queued /),
      '',
      'not routed to 5 (c10, c11, c12 and 2 more): The channel takes posts with one of the tags #lost, and this one has no tags.',
      'not routed to 1 (off): The channel is disabled, and takes no posts.',
    ]);
  });

  it('fails in a workspace without channels, and says so', async () => {
    await addWorkspace(database.admin, 'bare');
    const terminal = recordingTerminal({ isTty: false });
    expect(await send.run(['--text', 'Hello', '--workspace', 'bare'], terminal)).toBe(1);
    expect(terminal.printedErrors()).toMatch(/^the workspace has no channels; make some with/);
  });

  it.each([
    [
      '{"text": "Hello", "scheduled_for": "soon"}',
      /^the post cannot be taken in: scheduled_for "soon"/,
    ],
    ['{"media": [{"type": "image", "url": "http://127.0.0.1/a.jpg"}]}', /^media\[0\]\.url: /],
    ['', /^the post cannot be taken in: /],
  ])('does not take %s', async (input, message) => {
    const sending = send.run(['-', '--workspace', workspaceId], recordingTerminal({ input }));
    await expect(sending).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
    });
  });
});

describe('an empty workspace', () => {
  it('lists nothing, and is told what makes channels', async () => {
    await addWorkspace(database.admin, 'void');
    const terminal = recordingTerminal();
    await channels.run(['list', '--workspace', 'void'], terminal);
    await deliveries.run(['list', '--workspace', 'void'], terminal);
    expect(terminal.printed()).toBe(
      'There are none. outrider apply <file> makes channels.\nThere are none.\n',
    );
  });
});
