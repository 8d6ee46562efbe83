import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { auth } from '../../src/cli/auth.ts';
import { channels } from '../../src/cli/channels.ts';
import type { Command } from '../../src/cli/command.ts';
import { deliveries } from '../../src/cli/deliveries.ts';
import { events } from '../../src/cli/events.ts';
import { rateGroups } from '../../src/cli/rate-groups.ts';
import { status } from '../../src/cli/status.ts';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type GivenError } from '../../src/db/commit.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  addWorkspace,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// The ten operations of the runbook, as commands: what each says, what it leaves, and how it refuses.

const database = await useDatabase();
let workspace: string;

beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', database.url);
});

afterAll(() => {
  vi.unstubAllEnvs();
});

beforeEach(async () => {
  workspace = await addNewWorkspace(database, { disable_after_permanent_streak: 100 });
  vi.stubEnv('OUTRIDER_WORKSPACE', workspace);
  const { admin } = database;
  for (const id of ['news', 'pets']) await addChannel(admin, workspace, id);
  await admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     select $1, c, 'telegram', 'env:BOT', now() - interval '1 day' from unnest(array['bot', 'spare']) c`,
    [workspace],
  );
});

const why = ['--operator', 'anna', '--reason', 'as the runbook says'];

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Not on a terminal, and within the test: no process has to start. */
async function run(command: Command, ...args: string[]): Promise<Said> {
  const terminal = recordingTerminal({ isTty: false });
  const code = await command.run(args, terminal);
  return { code, out: terminal.printed(), err: terminal.printedErrors() };
}

async function claim(): Promise<ClaimedDelivery[]> {
  const request = { workspaceId: workspace, runId: 'run', limit: 100 };
  return claimDeliveries(database.service, request);
}

/** A delivery to a channel that failed so. */
async function addFailed(error: Partial<GivenError>, columns = {}): Promise<string> {
  const id = await addDelivery(database.admin, workspace, 'news', columns);
  const outcomes = (await claim()).map((each) => failed(each, error));
  await commitOutcomes(database.service, workspace, outcomes);
  return id;
}

const refused = { category: 'PERMANENT', code: '400', message: 'Bad Request' } as const;
const held = { category: 'PERMANENT', code: 'outcome_unknown', message: 'no answer' } as const;
const busy = { code: '500', message: 'Internal' };

async function statusOf(deliveryId: string): Promise<unknown> {
  const { rows }: { rows: { status: string }[] } = await database.admin.query(
    'select status from outrider.deliveries where delivery_id = $1',
    [deliveryId],
  );
  return rows[0]?.status;
}

const ByHand = z.object({
  action: z.string(),
  delivery_id: z.string().nullable(),
  channel_id: z.string().nullable(),
  meta: z.record(z.string(), z.unknown()),
});

/** What is on record as anna's doing. */
async function byAnna(): Promise<z.output<typeof ByHand>[]> {
  const found = await queryRows(
    database.admin,
    ByHand,
    `select action, delivery_id, channel_id, meta from outrider.events
     where workspace_id = $1 and meta ->> 'operator' = 'anna' order by ts, action::text, channel_id`,
    [workspace],
  );
  for (const each of found) expect(each.meta['reason']).toBe('as the runbook says');
  return found;
}

describe('operation 1, the snapshot', () => {
  it('counts what waits, what is being sent and what failed', async () => {
    await addFailed(refused);
    await addBacklog(database.admin, workspace, ['news', 'pets'], 1);
    const facts = tabbed((await run(status)).out);
    const fact = (name: string) => facts.find((each) => each['fact'] === name)?.['value'];
    expect([fact('waiting.due'), fact('sending.open'), fact('last_hour.failed')]).toEqual([
      '2',
      '0',
      '1',
    ]);
  });
});

describe('operation 2, the stream of errors', () => {
  it('lists what broke within half an hour, and nothing else', async () => {
    const id = await addFailed(busy);
    const said = await run(events, '--errors', '--since', '30m');
    expect(tabbed(said.out)).toMatchObject([
      { action: 'retry_scheduled', result: 'error', delivery_id: id, channel_id: 'news' },
    ]);
    const json = await run(events, '--errors', '--channel', 'pets', '--json');
    expect(JSON.parse(json.out)).toEqual([]);
    const of = await run(events, '--delivery', id.slice(0, 18), '--action', 'retry_scheduled');
    expect(tabbed(of.out)).toHaveLength(1);
  });

  it('is a table in words for people', async () => {
    await addFailed(busy);
    const { out } = await run(events, '--errors', '--format', 'table');
    expect(out).toMatch(/^time .*in words\n.* retry_scheduled +news .* 500: Internal; again at /);
  });

  it('refuses an action that there is not, and a delivery of nobody', async () => {
    await expect(run(events, '--action', 'lost')).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/^--action lost: there is no such action/),
    });
    await expect(run(events, '--delivery', randomUUID())).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('operations 3 and 4, a requeue', () => {
  it('sends dead and failed ones again', async () => {
    const dead = await addFailed(busy, { attempt: 4 });
    const failedOne = await addFailed(refused);
    const said = await run(deliveries, 'requeue', dead, failedOne, ...why);
    expect(said).toEqual({ code: 0, out: '2 deliveries requeued\n', err: '' });
    expect(await byAnna()).toMatchObject([
      { action: 'manual_requeue' },
      { action: 'manual_requeue' },
    ]);
  });

  it('spreads them over a time', async () => {
    const ids = [await addFailed(refused), await addFailed(refused)];
    await run(deliveries, 'requeue', ...ids, '--over', '10m', ...why);
    const rows = await queryRows(
      database.admin,
      z.object({ apart: z.string() }),
      `select (max(next_retry_at) - min(next_retry_at))::text as apart
       from outrider.deliveries where workspace_id = $1 and status = 'retry'`,
      [workspace],
    );
    expect(rows).toEqual([{ apart: '00:05:00' }]);
  });

  it('of more than 20 needs --yes where nobody can be asked', async () => {
    await addBacklog(database.admin, workspace, ['news'], 21);
    const outcomes = (await claim()).map((each) => failed(each, refused));
    await commitOutcomes(database.service, workspace, outcomes);
    const choice = ['requeue', '--status', 'failed', ...why];
    await expect(run(deliveries, ...choice)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(/^21 deliveries would be requeued: say --yes/),
    });
    expect(await byAnna()).toEqual([]);
    const said = await run(deliveries, ...choice, '--yes');
    expect(said).toEqual({ code: 0, out: '21 deliveries requeued\n', err: '' });
  });
});

describe('a delivery of which nobody knows whether it arrived', () => {
  it('is recorded as sent when somebody has found it', async () => {
    const id = await addFailed(held);
    const dry = await run(deliveries, 'resolve', id, '--as', 'sent', '4711', '--dry-run');
    expect(dry).toEqual({ code: 0, out: '1 delivery would be recorded as sent\n', err: '' });
    const said = await run(deliveries, 'resolve', id.slice(0, 18), '--as', 'sent', '4711', ...why);
    expect(said).toEqual({ code: 0, out: '1 delivery recorded as sent\n', err: '' });
    expect(await statusOf(id)).toBe('sent');
    expect(await byAnna()).toMatchObject([{ action: 'manual_resolve', delivery_id: id }]);
  });

  it('is named by a requeue that takes it among others', async () => {
    const inDoubt = await addFailed(held);
    await addFailed(refused);
    const requeue = ['requeue', '--channel', 'news'];
    const err = `${inDoubt}: it may have arrived already: nobody knows\n`;
    expect(await run(deliveries, ...requeue, '--dry-run')).toEqual({
      code: 0,
      out: '2 deliveries would be requeued\n',
      err,
    });
    const said = await run(deliveries, ...requeue, ...why);
    expect(said).toEqual({ code: 0, out: '2 deliveries requeued\n', err });
  });

  it('is sent again when it is lost', async () => {
    const id = await addFailed(held);
    const said = await run(deliveries, 'resolve', id, '--as', 'lost', ...why);
    expect(said).toEqual({ code: 0, out: '1 delivery requeued\n', err: '' });
    expect(await statusOf(id)).toBe('retry');
    expect(await byAnna()).toMatchObject([{ action: 'manual_requeue', delivery_id: id }]);
  });

  it('is not what was refused, and is told so', async () => {
    const id = await addFailed(refused);
    expect(await run(deliveries, 'resolve', id, '--as', 'sent', '4711', ...why)).toEqual({
      code: 1,
      out: '0 deliveries recorded as sent\n',
      err: `${id}: it is known not to have arrived: 400\n`,
    });
  });

  it('says how it is resolved', async () => {
    const { out } = await run(deliveries, 'show', await addFailed(held), '--format', 'table');
    expect(out).toContain('outrider deliveries resolve');
  });
});

describe('operations 5 and 6, one channel', () => {
  it('is paused, and enabled without pause and errors in a row', async () => {
    expect((await run(channels, 'pause', 'news', '--for', '2h', ...why)).code).toBe(0);
    expect((await run(channels, 'resume', 'news', ...why)).code).toBe(0);
    expect((await run(channels, 'disable', 'news', ...why)).code).toBe(0);
    expect((await run(channels, 'enable', 'news', ...why)).code).toBe(0);
    expect((await byAnna()).map((each) => each.action)).toEqual([
      'channel_paused',
      'channel_resumed',
      'channel_disabled',
      'channel_enabled',
    ]);
  });
});

describe('operations 7 and 8, a rate group', () => {
  it('is disabled and enabled, by its name with or without the platform', async () => {
    expect(await run(rateGroups, 'disable', 'telegram/bot', ...why)).toEqual({
      code: 0,
      out: '2 channels disabled: news, pets\n',
      err: '',
    });
    const [group] = tabbed((await run(rateGroups, 'list')).out);
    expect(group).toMatchObject({ platform: 'telegram', rate_group: 'bot', disabled: '2' });
    expect((await run(rateGroups, 'enable', 'bot', ...why)).out).toBe(
      '2 channels enabled: news, pets\n',
    );
    const record = (await byAnna()).map((each) => [each.action, each.meta['rate_group']]);
    expect(record).toEqual([
      ['channel_disabled', 'bot'],
      ['channel_disabled', 'bot'],
      ['channel_enabled', 'bot'],
      ['channel_enabled', 'bot'],
    ]);
  });

  it('says which there are, or which is meant, when there is none of that name', async () => {
    await expect(run(rateGroups, 'disable', 'bott', ...why)).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no rate group "bott"; did you mean bot?',
    });
    await addChannel(database.admin, workspace, 'wall', { platform: 'vk' });
    await expect(run(rateGroups, 'disable', 'bot', ...why)).rejects.toMatchObject({
      message: '"bot" may be telegram/bot or vk/bot',
    });
    expect(await byAnna()).toEqual([]);
  });

  it('fails when nothing was changed', async () => {
    expect(await run(rateGroups, 'enable', 'bot', ...why)).toEqual({
      code: 1,
      out: '0 channels enabled\n',
      err: 'news and 1 more: it is enabled already\n',
    });
  });

  it('is listed as a table with its state', async () => {
    const { out } = await run(rateGroups, '--format', 'table');
    expect(out).toMatch(/^group +state .*\ntelegram\/bot +open /);
  });
});

describe('operation 9, another credential', () => {
  it('is given to the channels of the old one', async () => {
    const said = await run(auth, 'rotate', '--credential', 'bot', '--to', 'spare', ...why);
    expect(said).toEqual({ code: 0, out: '2 channels have credential spare\n', err: '' });
    expect(await byAnna()).toMatchObject(
      ['news', 'pets'].map((channel_id) => ({
        action: 'auth_rotated',
        channel_id,
        meta: { old_auth_ref: 'bot', new_auth_ref: 'spare' },
      })),
    );
  });

  it('waits for what is being sent, and is given when that has ended', async () => {
    await addBacklog(database.admin, workspace, ['news'], 1);
    const [send] = await claim();
    if (send === undefined) throw new Error('nothing was claimed');
    const rotating = run(auth, 'rotate', 'news', '--to', 'spare', ...why);
    await vi.waitFor(async () => expect(await byAnna()).toHaveLength(1), 30_000);
    await commitOutcomes(database.service, workspace, [sent(send)]);
    expect(await rotating).toEqual({
      code: 0,
      out: '1 channel has credential spare\n',
      err: '',
    });
    expect((await byAnna()).map((each) => each.action)).toEqual([
      'channel_paused',
      'auth_rotated',
      'channel_resumed',
    ]);
  });

  it('leaves the old one and a short pause when it is interrupted', async () => {
    await addBacklog(database.admin, workspace, ['news'], 1);
    await claim();
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const terminal = recordingTerminal({ isTty: false, stopped });
    const rotating = auth.run(['rotate', 'news', '--to', 'spare', ...why], terminal);
    await vi.waitFor(async () => expect(await byAnna()).toHaveLength(1), 30_000);
    stop();
    await expect(rotating).rejects.toMatchObject({ name: 'Interrupted' });
    const { rows } = await database.admin.query(
      `select auth_ref, paused_until < now() + interval '2 minutes' as briefly
       from outrider.channels where workspace_id = $1 and channel_id = 'news'`,
      [workspace],
    );
    expect(rows).toEqual([{ auth_ref: 'bot', briefly: true }]);
  });

  it('is forced, or foretold, without waiting', async () => {
    await addBacklog(database.admin, workspace, ['news'], 1);
    await claim();
    const dry = await run(auth, 'rotate', 'news', '--to', 'spare', '--dry-run');
    expect(dry).toMatchObject({ code: 1, out: '0 channels would get credential spare\n' });
    expect(dry.err).toMatch(
      /^news: 1 of its deliveries is being sent\n1 being sent, under leases until \S+Z \(in .*\)/,
    );
    const said = await run(auth, 'rotate', 'news', '--to', 'spare', '--force', '--json', ...why);
    expect(JSON.parse(said.out)).toMatchObject([{ channel_id: 'news', rotated: true, sending: 1 }]);
  });

  it('must be bound first', async () => {
    await expect(run(auth, 'rotate', 'news', '--to', 'nowhere', ...why)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/has no credential "nowhere"$/),
    });
  });
});

describe('operation 10, what somebody holds', () => {
  it('is given back, and its place with it', async () => {
    await addBacklog(database.admin, workspace, ['news'], 1);
    const [send] = await claim();
    await database.admin.query(
      `update outrider.deliveries set sending_started_at = now() - interval '11 minutes' where workspace_id = $1`,
      [workspace],
    );
    const dry = await run(deliveries, 'release-stale', '--dry-run', '--format', 'table');
    expect(dry.out).toMatch(/1 delivery would be given back\n$/);
    const said = await run(deliveries, 'release-stale', ...why);
    expect(tabbed(said.out)).toMatchObject([
      { delivery_id: send?.deliveryId, was: 'sending', became: 'retry' },
    ]);
    expect(await byAnna()).toMatchObject([{ action: 'manual_requeue' }]);
    const again = await run(deliveries, 'release-stale', ...why, '--format', 'table');
    expect(again).toEqual({ code: 0, out: '0 deliveries given back\n', err: '' });
  });

  it('takes no time that would hit what has just begun', async () => {
    await expect(run(deliveries, 'release-stale', '--older-than', '0s', ...why)).rejects.toThrow(
      '--older-than 0s: it is a span such as 10m, of 1 s to 30 days',
    );
  });
});

describe('an operation', () => {
  it('does not reach what another workspace has', async () => {
    const id = await addFailed(held);
    workspace = `${workspace}-other`;
    await addWorkspace(database.admin, workspace);
    vi.stubEnv('OUTRIDER_WORKSPACE', workspace);
    const nowhere = { code: 1, err: `${id}: there is no such delivery in this workspace\n` };
    expect(await run(deliveries, 'requeue', id, ...why)).toMatchObject(nowhere);
    expect(await run(deliveries, 'resolve', id, '--as', 'sent', '1', ...why)).toMatchObject(
      nowhere,
    );
    await expect(run(rateGroups, 'disable', 'bot', ...why)).rejects.toThrow('there is none yet');
    await expect(run(auth, 'rotate', 'news', '--to', 'spare', ...why)).rejects.toThrow(
      'there is no channel "news"',
    );
    expect(await statusOf(id)).toBe('failed_permanent');
  });

  it('ends as a process with 2 where it is too large and nobody can be asked', async () => {
    for (let n = 0; n < 20; n += 1) await addChannel(database.admin, workspace, `c${n}`);
    const said = await runOutrider(['rate-groups', 'disable', 'bot', ...why], {
      databaseUrl: database.url,
      env: { OUTRIDER_WORKSPACE: workspace },
    });
    expect(said).toEqual({
      code: 2,
      out: '',
      err: 'outrider rate-groups: 22 channels would be disabled: say --yes for so many, or look first with --dry-run\n  outrider rate-groups --help shows what it takes\n',
    });
  });
});
