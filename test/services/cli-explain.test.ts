import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { explain } from '../../src/cli/explain.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { tabbed } from '../support/cli/run-outrider.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { failed } from '../support/queue/outcomes.ts';

// What a person and a program get from the command, run within the test. Its clock is the real one.

const database = await useDatabase();
const workspaceId = 'city';
let deliveryId: string;
let messageId: string;

beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', database.url);
  const { admin, service } = database;
  await addWorkspace(admin, workspaceId);
  await addChannel(admin, workspaceId, 'news');
  const pets = { route_filter: JSON.stringify({ include_any: ['pets'] }) };
  for (let n = 1; n <= 4; n += 1) await addChannel(admin, workspaceId, `pets-${n}`, pets);
  const post = { text: 'Lost: a ginger dog near the station', source_ref: 'post-7' };
  ({ messageId } = await take(service, workspaceId, post, new Date().toISOString()));
  const [held] = await claimDeliveries(service, { workspaceId, runId: 'run', limit: 1 });
  if (held === undefined) throw new Error('nothing was claimed');
  ({ deliveryId } = held);
  const refusal = { category: 'PERMANENT', scope: 'channel', code: 'not_allowed' } as const;
  const outcome = failed(held, { ...refusal, message: 'bot was kicked' });
  await commitOutcomes(service, workspaceId, [outcome]);
});
afterAll(() => vi.unstubAllEnvs());

async function run(args: readonly string[], isTty = true) {
  const terminal = recordingTerminal({ isTty });
  const code = await explain.run([...args, '--workspace', workspaceId], terminal);
  return { code, printed: terminal.printed(), errors: terminal.printedErrors() };
}

const because = 'Telegram refused channel news: not_allowed: bot was kicked.';

describe('outrider explain', () => {
  it('says of a delivery why, what to do, and what happened, in this order', async () => {
    const { code, printed, errors } = await run([deliveryId]);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const lines = printed.split('\n');
    expect(lines.slice(0, 5)).toEqual([
      '“Lost: a ginger dog near the station”',
      expect.stringMatching(/^came in \S+Z \(.*\) as post-7, message [\da-f-]{36}$/),
      '',
      `news: failed permanent  ${deliveryId}`,
      `  ${because}`,
    ]);
    expect(lines[5]).toMatch(
      /^ {2}→ Give the bot or the user back its right to post in the chat\./,
    );
    const timeline = lines.slice(6).filter((line) => /^ {2}\d{4}-/.test(line));
    expect(timeline.map((line) => line.split(/ {2,}/)[3])).toEqual([
      'enqueue',
      'send_attempt',
      'failed_permanent',
      'channel_paused',
    ]);
  });

  it.each([
    ['the end of its id', () => deliveryId.slice(-12)],
    ['its source_ref', () => 'post-7'],
    ['the id of its message', () => messageId],
    ['words of it', () => 'ginger dog'],
  ])('finds the post by %s', async (_, name) => {
    const { code, printed } = await run(name().split(' '));
    expect(code).toBe(0);
    expect(printed).toContain(because);
  });

  it('sums up the channels that did not take the post, and tells of one that is named', async () => {
    const { printed } = await run(['post-7']);
    const words = 'The channel takes posts with one of the tags #pets, and this one has no tags.';
    expect(printed).toContain(
      `not routed to 4 of the channels\n  pets-1, pets-2, pets-3 and 1 more: ${words}\n  → Give`,
    );
    const one = await run(['post-7', '--channel', 'pets-4']);
    expect(one.printed).toContain(`pets-4: not routed\n  ${words}\n`);
    expect(one.printed).not.toContain('news');
  });

  it('ends with 1 when it finds nothing, and says what is known', async () => {
    const { code, printed } = await run(['no', 'such', 'words']);
    expect(code).toBe(1);
    expect(printed).toMatch(/^Nothing that workspace city keeps fits: /);
    expect(printed).toContain('→ See what the caller was answered');
    const nobody = await run(['00000000-0000-4000-8000-000000000001']);
    expect(nobody.code).toBe(1);
    expect(nobody.printed).toMatch(/^Workspace city has no delivery with the id 00000000-/);
  });

  it('is one document in JSON, also of what is not there', async () => {
    const { code, printed } = await run([deliveryId, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({
      found: true,
      message_id: messageId,
      source_ref: 'post-7',
      reasons: [
        {
          delivery_id: deliveryId,
          channel_id: 'news',
          status: 'failed_permanent',
          because,
          until: null,
          detail: { reason: 'failed_for_channel' },
        },
      ],
      events: [{ action: 'enqueue' }, { action: 'send_attempt' }, {}, {}],
    });
    const missing = await run(['no such words', '--json']);
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.printed)).toMatchObject({
      found: false,
      message_id: null,
      reasons: [{ message_id: null, detail: { reason: 'never_came_in' } }],
      events: [],
    });
  });

  it('is a line for each reason elsewhere, and then the timeline', async () => {
    const { printed } = await run([deliveryId], false);
    const [reasons = '', timeline = ''] = printed.split('\n\n');
    expect(tabbed(reasons)).toMatchObject([
      { delivery_id: deliveryId, channel_id: 'news', reason: 'failed_for_channel', because },
    ]);
    expect(tabbed(timeline).map((each) => each['action'])).toContain('failed_permanent');
  });

  it('asks what is meant when nothing is named', async () => {
    await expect(run([])).rejects.toThrow(UsageError);
    await expect(run(['post-7', '--channel', 'newz'])).rejects.toMatchObject({
      code: 'not_found',
      hint: 'outrider channels lists them',
    });
  });
});
