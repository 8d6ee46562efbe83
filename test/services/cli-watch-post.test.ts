import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { follow } from '../../src/cli/deliveries/watch.ts';
import type { Form } from '../../src/cli/screen/form.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { listDeliveries } from '../../src/db/inspect.ts';
import { DatabaseAwayError } from '../../src/errors.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { addChannel, addDelivery, addMessage, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

// One post on its way to its chats.

const database = await useDatabase();
const workspaceId = 'city';

beforeAll(async () => {
  await addWorkspace(database.admin, workspaceId);
  await addChannel(database.admin, workspaceId, 'news');
  await addChannel(database.admin, workspaceId, 'pets');
});

/** A post that is on its way to both channels. */
async function addPost(sourceRef: string): Promise<string> {
  const messageId = await addMessage(database.admin, workspaceId, { source_ref: sourceRef });
  for (const channel of ['news', 'pets']) {
    await addDelivery(database.admin, workspaceId, channel, { message_id: messageId });
  }
  return messageId;
}

async function finish(isWell: boolean): Promise<void> {
  const { service } = database;
  const held = await claimDeliveries(service, { workspaceId, runId: 'run', limit: 10 });
  const refusal = { category: 'PERMANENT', code: '400', message: 'too long' } as const;
  const outcomes = held.map((each) =>
    isWell || each.channel.channelId === 'news' ? sent(each) : failed(each, refusal),
  );
  await commitOutcomes(service, workspaceId, outcomes);
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function following(messageId: string, form: Form, timeoutMs = Number.POSITIVE_INFINITY) {
  const clock = createManualClock();
  const terminal = recordingTerminal({ isTty: form === 'table' });
  let reads = 0;
  let isAway = false;
  const ended = follow(terminal, {
    form,
    everyMs: 1000,
    timeoutMs,
    messageId,
    clock,
    async read() {
      if (isAway) throw new DatabaseAwayError('the database cannot be reached');
      const rows = await listDeliveries(database.service, { workspaceId, messageId, limit: 10 });
      reads += 1;
      return rows;
    },
  });
  return {
    terminal,
    ended,
    goAway: (to: boolean) => void (isAway = to),
    /** Has it look again. */
    look: async (): Promise<void> => {
      while (clock.waiting() === 0) await settle(); // until the look before is over
      const before = reads;
      clock.advance(1000);
      while (reads === before && !isAway) await settle();
      while (clock.waiting() === 0 && isAway) await settle();
    },
  };
}

describe('deliveries watch', () => {
  it('tells each change in a line and ends with 0 when every chat has the post', async () => {
    const messageId = await addPost('post-1');
    const { terminal, ended, look } = following(messageId, 'tsv');
    await look();
    const before = terminal.printed();
    expect(before.split('\n').slice(0, -1)).toHaveLength(2);
    expect(before).toMatch(/^\S+Z news queued$/m);
    await finish(true);
    await look();
    expect(await ended).toBe(0);
    const lines = terminal.printed().slice(before.length);
    expect(lines).toMatch(/^\S+Z news sent as id-/m);
    expect(lines).toMatch(/^\S+Z pets sent as id-/m);
    expect(lines).toMatch(/^Every chat has it: 2 of 2 sent\.$/m);
  });

  it('ends with 1 when a chat does not have it, and says why', async () => {
    const messageId = await addPost('post-2');
    await finish(false);
    const { terminal, ended } = following(messageId, 'tsv');
    expect(await ended).toBe(1);
    expect(terminal.printed()).toMatch(/pets failed_permanent: 400: too long$/m);
    expect(terminal.printed()).toMatch(
      /^Not every chat has it: 1 of 2 sent · 1 failed_permanent\.$/m,
    );
  });

  it('shows a table on a terminal, what is under way first', async () => {
    const messageId = await addPost('post-3');
    await finish(false);
    const { terminal, ended } = following(messageId, 'table');
    expect(await ended).toBe(1);
    expect(terminal.printed()).toMatch(/^1 of 2 sent · 1 failed_permanent\n\nchannel +status/);
    expect(terminal.printed()).toMatch(/^pets .*\nnews /m);
  });

  it('has JSON lines: one for each change, and the counts', async () => {
    const messageId = await addPost('post-4');
    await finish(true);
    const { terminal, ended } = following(messageId, 'json');
    expect(await ended).toBe(0);
    const documents = terminal
      .printed()
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(documents).toMatchObject([
      { status: 'sent' },
      { status: 'sent' },
      { message_id: messageId, deliveries: 2, counts: { sent: 2 } },
    ]);
  });

  it('gives up after its time', async () => {
    const messageId = await addPost('post-5');
    const { terminal, ended, look } = following(messageId, 'tsv', 1500);
    await look();
    await look();
    expect(await ended).toBe(1);
    expect(terminal.printed()).toContain('Not every chat has it: 0 of 2 sent · 2 queued.');
    await finish(true);
  });

  it('goes on when the database is away for a while', async () => {
    const messageId = await addPost('post-6');
    const { terminal, ended, look, goAway } = following(messageId, 'tsv');
    goAway(true);
    await look();
    goAway(false);
    await finish(true);
    await look();
    expect(await ended).toBe(0);
    expect(terminal.printedErrors()).toContain(
      'the database cannot be reached\nIt is asked again.\n',
    );
  });
});

describe('outrider deliveries watch', () => {
  const outrider = (...args: string[]) =>
    runOutrider(['deliveries', 'watch', ...args], { databaseUrl: database.url });

  it('finds the post by the id of its message, by a part of that, and by its source_ref', async () => {
    const messageId = await addPost('wall/77');
    await finish(true);
    for (const name of [messageId, messageId.slice(0, 13), 'wall/77']) {
      const { code, out } = await outrider(name, '--json');
      const last = z
        .object({ message_id: z.string() })
        .parse(JSON.parse(out.trim().split('\n').at(-1) ?? ''));
      expect({ code, id: last.message_id }).toEqual({ code: 0, id: messageId });
    }
  });

  it('refuses what names no post', async () => {
    const { code, err } = await outrider('wall/none');
    expect(code).toBe(1);
    expect(err).toContain('no post is known by "wall/none"');
  });
});
