import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ListedChannel } from '../../src/db/channel-rows.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { listChannels } from '../../src/db/inspect.ts';
import { resumeChannels } from '../../src/db/operate.ts';
import { openClient } from '../../src/db/pool.ts';
import { type Ended, runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { fill } from '../support/database/bulk-rows.ts';
import { recorded } from '../support/database/configuration.ts';
import { addBacklog, addChannel, addDelivery, addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed } from '../support/queue/outcomes.ts';

// What an operator does by hand: processes of their own, judged by what they print, how they end and what they leave.

const database = await useDatabase();
let workspace: string;

beforeEach(async () => {
  workspace = await addNewWorkspace(database, { disable_after_permanent_streak: 100 });
});

function outrider(...args: string[]): Promise<Ended> {
  const env = { OUTRIDER_WORKSPACE: workspace };
  return runOutrider(args, { databaseUrl: database.url, env });
}

const why = ['--operator', 'anna', '--reason', 'the token is new'];

async function channels(): Promise<ListedChannel[]> {
  return listChannels(database.service, { workspaceId: workspace });
}

async function states(): Promise<string[]> {
  return (await channels()).map((each) => `${each.channelId} ${each.state}`).toSorted();
}

async function actions(): Promise<string[]> {
  return (await recorded(database.admin, workspace)).map((each) => each.action);
}

/** A delivery that its provider has refused, for good and for its channel. */
async function addRefused(channelId: string): Promise<string> {
  const { admin, service } = database;
  const deliveryId = await addDelivery(admin, workspace, channelId);
  const request = { workspaceId: workspace, runId: 'run', limit: 100 };
  const held = await claimDeliveries(service, request);
  const error = {
    category: 'PERMANENT',
    scope: 'channel',
    code: '403',
    message: 'kicked',
  } as const;
  await commitOutcomes(
    service,
    workspace,
    held.map((each) => failed(each, error)),
  );
  return deliveryId;
}

async function statusOf(deliveryId: string): Promise<unknown> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    'select status from outrider.deliveries where delivery_id = $1',
    [deliveryId],
  );
  return rows[0];
}

describe('outrider channels', () => {
  beforeEach(async () => {
    const { admin } = database;
    await addChannel(admin, workspace, 'max-1', { platform: 'max', auth_ref: 'max-main' });
    await addChannel(admin, workspace, 'max-2', { platform: 'max', auth_ref: 'max-main' });
    await addChannel(admin, workspace, 'tg-1', { rate_group: 'slow' });
  });

  it('pauses the channels of a credential for a while', async () => {
    const earliest = Date.now() + 7_200_000;
    const choice = ['--credential', 'max-main', '--for', '2h', ...why];
    expect(await outrider('channels', 'pause', ...choice)).toEqual({
      code: 0,
      out: '2 channels paused: max-1, max-2\n',
      err: '',
    });
    expect(await states()).toEqual(['max-1 paused', 'max-2 paused', 'tg-1 open']);
    const [first] = await channels();
    expect(first?.stateUntil?.getTime()).toBeGreaterThanOrEqual(earliest);
    expect(first?.stateUntil?.getTime()).toBeLessThanOrEqual(Date.now() + 7_200_000);
    expect(first?.stateReason).toBe('by anna: the token is new');
    expect(await actions()).toEqual(['channel_paused', 'channel_paused']);
  });

  it('says what it would do, and does not do it', async () => {
    const dry = await outrider('channels', 'pause', '--credential', 'max-main', '--dry-run');
    expect(dry).toEqual({ code: 0, out: '2 channels would be paused: max-1, max-2\n', err: '' });
    expect(await states()).toEqual(['max-1 open', 'max-2 open', 'tg-1 open']);
  });

  it.each([
    ['2100-01-01', '2099-12-31T14:00:00.000Z'],
    ['2100-01-01T18:00', '2100-01-01T08:00:00.000Z'],
    ['2100-01-01T18:00+03:00', '2100-01-01T15:00:00.000Z'],
  ])('pauses until a time of this machine’s zone, unless it names one: %s', async (until, time) => {
    const { code } = await runOutrider(['channels', 'pause', 'tg-1', '--until', until, ...why], {
      databaseUrl: database.url,
      env: { OUTRIDER_WORKSPACE: workspace, TZ: 'Asia/Vladivostok' },
    });
    expect(code).toBe(0);
    const paused = (await channels()).find((each) => each.channelId === 'tg-1');
    expect(paused?.stateUntil?.toISOString()).toBe(time);
  });

  it('resumes what is paused among all, and says which was not', async () => {
    await database.admin.query(
      "update outrider.channels set paused_until = 'infinity' where workspace_id = $1 and platform = 'max'",
      [workspace],
    );
    expect(await outrider('channels', 'resume', '*', ...why)).toEqual({
      code: 0,
      out: '2 channels resumed: max-1, max-2\n',
      err: 'tg-1: it is not paused\n',
    });
    expect(await states()).toEqual(['max-1 open', 'max-2 open', 'tg-1 open']);
    expect(await actions()).toEqual(['channel_resumed', 'channel_resumed']);
  });

  it('lists those of a state, with who stopped them and why', async () => {
    await outrider('channels', 'disable', 'tg-1', ...why);
    const rows = tabbed((await outrider('channels', '--state', 'disabled')).out);
    expect(rows).toMatchObject([
      {
        channel_id: 'tg-1',
        auth_ref: 'bot',
        rate_group: 'slow',
        state_reason: 'by anna: the token is new',
      },
    ]);
  });

  it('disables by platform and by group', async () => {
    await outrider('channels', 'disable', '--platform', 'max', ...why);
    expect(await states()).toEqual(['max-1 disabled', 'max-2 disabled', 'tg-1 open']);
    await outrider('channels', 'disable', '--group', 'slow', ...why);
    expect(await states()).toEqual(['max-1 disabled', 'max-2 disabled', 'tg-1 disabled']);
  });

  it('enables by id, and wakes the dispatchers', async () => {
    await database.admin.query(
      'update outrider.channels set enabled = false where workspace_id = $1',
      [workspace],
    );
    const listener = await openClient({ url: database.url, applicationName: 'outrider test' });
    const woken = new Promise((resolve) => listener.once('notification', resolve));
    await listener.query('listen outrider_wake');
    const { out } = await outrider('channels', 'enable', 'max-?', 'tg-1', ...why, '--json');
    expect(JSON.parse(out)).toEqual(
      ['max-1', 'max-2', 'tg-1'].map((id) => ({ channel_id: id, changed: true, note: null })),
    );
    await woken;
    await listener.end();
  });

  it('fails when a channel that was named is left alone, and says why', async () => {
    expect(await outrider('channels', 'enable', 'tg-1', ...why)).toEqual({
      code: 1,
      out: '0 channels enabled\n',
      err: 'tg-1: it is enabled already\n',
    });
  });

  it.each<[string[], string]>([
    [['max-3'], 'outrider channels: there is no channel "max-3"; did you mean max-1?'],
    [['--credential', 'nobody'], 'outrider channels: no channel has the credential nobody'],
    [
      ['max-*', '--platform', 'telegram'],
      'outrider channels: no channel has the name max-* and the platform telegram',
    ],
  ])('does nothing where no channel is meant: %j', async (choice, words) => {
    const { code, out, err } = await outrider('channels', 'disable', ...choice, ...why);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.split('\n')[0]).toBe(words);
    expect(await recorded(database.admin, workspace)).toEqual([]);
  });

  it('lists none of a kind that there is not, and says where all are', async () => {
    const { out } = await outrider('channels', '--platform', 'vk', '--format', 'table');
    expect(out).toBe('There are none of that kind. outrider channels lists all.\n');
  });

  it('is a table with all its columns where no terminal is', async () => {
    const { out } = await outrider('channels', '--format', 'table');
    expect(out.split('\n')[0]).toMatch(/ pace +target +title$/);
  });

  it('says what is wrong with a filter without the name of a function', async () => {
    const { code, err } = await outrider('channels', '--platform', '', '--json');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(await outrider('channels', '--platform', '')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^outrider channels: platform has 0 characters; 1 to 128 are/),
    });
  });

  it('takes no time that has passed for a pause', async () => {
    const { code, err } = await outrider(
      'channels',
      'pause',
      'tg-1',
      '--until',
      '2020-01-01',
      ...why,
    );
    expect(code).toBe(1);
    expect(err).toMatch(/^outrider channels: until must be a time that lies ahead/);
  });
});

describe('outrider deliveries requeue', () => {
  const choice = ['--channel', 'max-*', '--status', 'failed_permanent', '--since', '1h'];

  /** Two that failed in the channels of the choice, and one in another. */
  async function addFailures(): Promise<string[]> {
    for (const id of ['max-1', 'max-2', 'tg-1']) await addChannel(database.admin, workspace, id);
    return [await addRefused('max-1'), await addRefused('max-2'), await addRefused('tg-1')];
  }

  async function resume(): Promise<void> {
    await resumeChannels(database.service, {
      workspaceId: workspace,
      channelIds: (await channels()).map((each) => each.channelId),
      operator: 'anna',
      reason: 'the chats are back',
    });
  }

  it('sends again what failed in some channels since a time', async () => {
    const [first = '', second = '', other = ''] = await addFailures();
    await resume();
    expect(await outrider('deliveries', 'requeue', ...choice, ...why)).toEqual({
      code: 0,
      out: '2 deliveries requeued\n',
      err: '',
    });
    expect(await statusOf(first)).toEqual({ status: 'retry' });
    expect(await statusOf(second)).toEqual({ status: 'retry' });
    expect(await statusOf(other)).toEqual({ status: 'failed_permanent' });
    const { out } = await outrider('deliveries', 'show', first, '--json');
    expect(out).toContain('"reason":"the token is new"');
    expect(out).toContain('"operator":"anna"');
  });

  it('says what it would do, and does not do it', async () => {
    const [first = ''] = await addFailures();
    await resume();
    expect(await outrider('deliveries', 'requeue', ...choice, '--dry-run')).toEqual({
      code: 0,
      out: '2 deliveries would be requeued\n',
      err: '',
    });
    expect(await statusOf(first)).toEqual({ status: 'failed_permanent' });
  });

  it('fails when all of them are refused, and gives each reason once', async () => {
    await addFailures();
    expect(await outrider('deliveries', 'requeue', ...choice, ...why)).toEqual({
      code: 1,
      out: '0 deliveries requeued\n',
      err: expect.stringMatching(
        /^[\da-f-]{36} and 1 more: it failed for its channel, which is still paused or disabled; resume or enable that first\n$/,
      ),
    });
  });

  it('has nothing to do, and says so, where nothing failed', async () => {
    await addChannel(database.admin, workspace, 'news');
    const nothing = { code: 0, out: '0 deliveries requeued\n', err: '' };
    expect(await outrider('deliveries', 'requeue', '--status', 'failed', ...why)).toEqual(nothing);
    const until = ['--until', '2020-01-01T00:00Z'];
    await addRefused('news');
    expect(await outrider('deliveries', 'requeue', ...until, ...why)).toEqual(nothing);
  });

  it('takes all that failed, however many, where that is asked for', async () => {
    await addChannel(database.admin, workspace, 'news');
    await addBacklog(database.admin, workspace, ['news'], 1005);
    const values = [workspace];
    await fill(database.admin, [
      {
        text: `update outrider.deliveries set status = 'dead', failed_at = now() where workspace_id = $1`,
        values,
      },
      { text: 'delete from outrider.delivery_queue where workspace_id = $1', values },
    ]);
    const some = await outrider('deliveries', 'requeue', '--status', 'dead', '--yes', '--dry-run');
    expect(some.out).toBe('1000 deliveries would be requeued\n');
    expect(some.err).toBe('there may be more: only 1000 were looked at; --all looks at all\n');
    const all = ['--status', 'dead', '--all', '--yes'];
    expect(await outrider('deliveries', 'requeue', ...all, ...why)).toEqual({
      code: 0,
      out: '1005 deliveries requeued\n',
      err: '',
    });
  });

  it('takes ids, also those that are written short, and fails when one is refused', async () => {
    await addChannel(database.admin, workspace, 'news');
    const id = await addRefused('news');
    await resume();
    const { out } = await outrider('deliveries', 'requeue', id.slice(-12), ...why, '--json');
    expect(JSON.parse(out)).toEqual([{ delivery_id: id, requeued: true, note: null }]);
    expect(await outrider('deliveries', 'requeue', id, ...why)).toEqual({
      code: 1,
      out: '0 deliveries requeued\n',
      err: `${id}: it is "retry", neither dead nor failed\n`,
    });
  });
});

describe('outrider deliveries', () => {
  it('lists what people call failed, in one word', async () => {
    await addChannel(database.admin, workspace, 'news');
    const id = await addRefused('news');
    await addDelivery(database.admin, workspace, 'news');
    const { out } = await outrider('deliveries', '--status', 'failed');
    expect(tabbed(out)).toMatchObject([{ delivery_id: id, error_code: '403' }]);
  });

  it('shows a delivery whose id is written short, and the candidates when it may be several', async () => {
    await addChannel(database.admin, workspace, 'news');
    const start = randomUUID().slice(0, 24);
    const [one, two] = [`${start}000000000001`, `${start}000000000002`];
    for (const id of [one, two]) {
      await addDelivery(database.admin, workspace, 'news', { delivery_id: id });
    }
    const { out } = await outrider('deliveries', 'show', '000000000002', '--json');
    expect(JSON.parse(out)).toMatchObject({ delivery: { delivery_id: two } });
    const { code, err } = await outrider('deliveries', 'show', start.slice(0, 13));
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(
        `^outrider deliveries: "${start.slice(0, 13)}" may be any of these:\n  ${two}  news, queued, .*\n  ${one} `,
      ),
    );
  });

  it('says so when no delivery has such an id, in JSON where that is asked for', async () => {
    await addChannel(database.admin, workspace, 'news');
    const { code, out, err } = await outrider('deliveries', 'show', 'ffffffff', '--json');
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'not_found',
        message: 'no delivery is known by "ffffffff"',
        hint: 'write the whole id; the list shows it',
      },
    });
  });

  it('says so when nothing can lie between two times', async () => {
    const between = ['--since', '1h', '--until', '2h'];
    const { code, err } = await outrider('deliveries', ...between);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^outrider deliveries: --since is \S+Z \(1 h ago\) and --until \S+Z \(2 h ago\): nothing lies between\n/,
    );
  });

  it('is a table where one is asked for, without colours', async () => {
    await addChannel(database.admin, workspace, 'news');
    await addDelivery(database.admin, workspace, 'news');
    const { out } = await outrider('deliveries', '--format', 'table');
    expect(out).toMatch(
      /^delivery +channel +status +attempt +when +why +text\n[\da-f-]{36} +news /,
    );
    expect(out).not.toContain('\u001b');
  });
});

describe('outrider send', () => {
  it('says what a post waits for, in the words of outrider deliveries show', async () => {
    const inAnHour = new Date(Date.now() + 3_500_000).toISOString();
    await addChannel(database.admin, workspace, 'paused', {
      paused_until: inAnHour,
      stopped_because: JSON.stringify({ code: '403', message: 'kicked' }),
    });
    await addChannel(database.admin, workspace, 'closed', {
      window_mode: 'windowed',
      timezone: 'UTC',
      posting_window: JSON.stringify({}),
    });
    const { code, out } = await outrider('send', '--text', 'Hello');
    expect(code).toBe(0);
    const rows = tabbed(out);
    expect(rows).toMatchObject([
      {
        channel_id: 'closed',
        words: 'The posting window of channel closed never opens.',
      },
      {
        channel_id: 'paused',
        words: expect.stringMatching(
          /^Channel paused is paused, because Telegram refused it: 403: kicked\. Until \S+Z \(in 5\d min\)\.$/,
        ),
      },
    ]);
    for (const row of rows.slice(1)) {
      const shown = await outrider('deliveries', 'show', row['delivery_id'] ?? '');
      const said = shown.out.split('\n').find((line) => line.startsWith('next\t')) ?? '';
      expect(said.replace(/\(in .*?\)/, '')).toBe(
        `next\t${row['words']?.replace(/\(in .*?\)/, '')}`,
      );
    }
  });

  it('says it in JSON, too', async () => {
    await addChannel(database.admin, workspace, 'off', {
      paused_until: 'infinity',
      stopped_because: JSON.stringify({ code: '403' }),
    });
    const { out } = await outrider('send', '--text', 'Hello', '--json');
    expect(JSON.parse(out)).toMatchObject({
      channels: [
        {
          verdict: 'queued',
          next_because: 'channel_paused',
          next_at: null,
          next_reason: '403',
        },
      ],
    });
  });
});
