import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { type Ended, runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { addBacklog, addChannel, addDelivery, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// The commands as a person or a script runs them: processes of their own, judged by what they print and how they
// end. Their clock is the real one.

const database = await useDatabase();

const workspaceId = 'city';
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

beforeAll(async () => {
  const { admin } = database;
  await addWorkspace(admin, workspaceId);
  await addChannel(admin, workspaceId, 'news', { title: 'City\tnews' });
  await addChannel(admin, workspaceId, 'pets', { paused_until: inAnHour });
});

function outrider(...args: string[]): Promise<Ended> {
  return runOutrider(args, { databaseUrl: database.url });
}

/** What a command prints that must succeed. */
async function printed(...args: string[]): Promise<string> {
  const { code, out, err } = await outrider(...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

async function json(...args: string[]): Promise<unknown> {
  return JSON.parse(await printed(...args, '--json'));
}

describe('outrider channels list', () => {
  it('has a line for each channel, whose fields hold no tab', async () => {
    expect(tabbed(await printed('channels', 'list'))).toMatchObject([
      { channel_id: 'pets', state: 'paused', state_until: inAnHour },
      { channel_id: 'news', state: 'open', title: 'City news', state_until: '' },
    ]);
  });

  it('is an array in JSON', async () => {
    expect(await json('channels', 'list', '--workspace', workspaceId)).toMatchObject([
      { channel_id: 'pets', state: 'paused', state_until: inAnHour },
      { channel_id: 'news', title: 'City\tnews', rate_rps: null, waiting: expect.any(Number) },
    ]);
  });
});

describe('outrider deliveries', () => {
  const place = 'history';
  let retried: string;

  beforeAll(async () => {
    const { admin, service } = database;
    await addWorkspace(admin, place);
    await addChannel(admin, place, 'news');
    await addBacklog(admin, place, ['news'], 3);
    const held = await claimDeliveries(service, { workspaceId: place, runId: 'run', limit: 2 });
    const [first, second] = held;
    if (first === undefined || second === undefined) throw new Error('two were not claimed');
    retried = first.deliveryId;
    const error = { code: '503', message: 'try\tlater', retryAfterMs: 900_000 };
    await commitOutcomes(service, place, [failed(first, error), sent(second)]);
  });

  const list = (...args: string[]) => json('deliveries', 'list', '--workspace', place, ...args);

  it('lists them newest first, page by page', async () => {
    const all = z
      .array(z.object({ delivery_id: z.string(), status: z.string() }))
      .parse(await list());
    expect(all.map((each) => each.status).toSorted()).toEqual(['queued', 'retry', 'sent']);
    const [first, second] = all;
    const before = first?.delivery_id ?? '';
    expect(await list('--before', before, '--limit', '1')).toMatchObject([second]);
  });

  it('has a line for each delivery, whose fields hold no tab', async () => {
    const out = await printed('deliveries', 'list', '--workspace', place, '--status', 'retry');
    expect(tabbed(out)).toMatchObject([
      { delivery_id: retried, status: 'retry', error_code: '503', error_message: 'try later' },
    ]);
  });

  it('shows one with its timeline and what comes next', async () => {
    const out = await printed('deliveries', 'show', retried, '--workspace', place);
    const [facts = '', timeline = ''] = out.split('\n\n');
    const known = Object.fromEntries(tabbed(facts).map((each) => [each['fact'], each['value']]));
    expect(known).toMatchObject({
      delivery_id: retried,
      status: 'retry',
      attempt: '1',
      last_error: '503: try later, asks to wait 15 min',
      next: expect.stringMatching(
        /^Telegram could not be reached, .*: 503: try later\. Until \S+Z \(in 1\d min\)\.$/,
      ),
      advice: expect.stringMatching(/^Nothing has to be done unless it goes on: /),
    });
    expect(tabbed(timeline)).toMatchObject([
      { action: 'send_attempt', attempt: '1', error: '' },
      {
        action: 'retry_scheduled',
        attempt: '1',
        error: '503: try later, asks to wait 15 min',
        note: expect.stringMatching(/^again at /),
      },
    ]);
  });

  it('shows all of it in JSON', async () => {
    expect(await json('deliveries', 'show', retried, '--workspace', place)).toMatchObject({
      delivery: { delivery_id: retried, last_error: { code: '503', retry_after_ms: 900_000 } },
      channel: { channel_id: 'news', state: 'open' },
      message: { payload: { type: 'text' } },
      next: { because: 'retry' },
      events: [{ action: 'send_attempt' }, { action: 'retry_scheduled', result: 'error' }],
    });
  });
});

describe('outrider status', () => {
  beforeAll(async () => {
    await addWorkspace(database.admin, 'quiet');
    await addChannel(database.admin, 'quiet', 'news');
    await addDelivery(database.admin, 'quiet', 'news', { not_before: inAnHour });
  });

  it('is a fact in each line', async () => {
    const facts = tabbed(await printed('status', '--workspace', 'quiet'));
    expect(facts).toContainEqual({ fact: 'waiting.scheduled', value: '1' });
    expect(facts).toContainEqual({ fact: 'channels.open', value: '1' });
    expect(facts).toContainEqual({ fact: 'next_send_at', value: inAnHour });
  });

  it('is a document in JSON', async () => {
    expect(await json('status', '--workspace', 'quiet')).toMatchObject({
      workspace_id: 'quiet',
      status: 'active',
      waiting: { due: 0, scheduled: 1 },
      next_send_at: inAnHour,
      last_hour: { sent: 0 },
    });
  });
});

describe('a mistake', () => {
  const nobody = '00000000-0000-4000-8000-000000000001';

  it('of the command line ends with 2 and where to read more', async () => {
    const { code, out, err } = await outrider('deliveries', 'drop');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(
      /^outrider deliveries: there is no "drop"; there are list, show, watch, requeue, resolve and release-stale\n/,
    );
    expect(err).toContain('outrider deliveries --help');
  });

  it.each([
    [
      ['deliveries', 'show', nobody, '--workspace', workspaceId],
      `outrider deliveries: workspace "city" has no delivery ${nobody}\n  outrider deliveries lists the latest\n`,
    ],
    [
      ['deliveries', 'list', '--channel', 'nowhere', '--workspace', workspaceId],
      'outrider deliveries: there is no channel "nowhere"\n  outrider channels shows them with their credentials and groups\n',
    ],
    [
      ['channels', 'list', 'newz', '--workspace', workspaceId],
      'outrider channels: there is no channel "newz"; did you mean news?\n  outrider channels shows them with their credentials and groups\n',
    ],
  ])('about what is there ends with 1 and what to do: %j', async (args, err) => {
    expect(await outrider(...args)).toEqual({ code: 1, out: '', err });
  });

  it('about the workspace names those that there are', async () => {
    const { code, err } = await outrider('status', '--workspace', 'nowhere');
    expect(code).toBe(1);
    expect(err).toMatch(/there is no workspace "nowhere"; there (is|are) .*city/);
  });
});
