import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startReplier } from '../../src/bot/replier.ts';
import { systemClock } from '../../src/clock.ts';
import { startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { silentLog } from '../../src/log.ts';
import type { Service } from '../../src/service.ts';
import { addPerson, addSandboxBot, hear } from '../support/bot/sandbox-bot.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { addSandboxChannels, sandboxDeliver, urlsOf } from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';

// The clock of a machine is corrected, or set by hand. What a process waits for must not come later by that.

const database = await useDatabase();
const sandbox = await useSandbox();
const sessions = useSessions();
const senders = sandboxDeliver(database.service, urlsOf(sandbox));
const settings = { log: silentLog, concurrency: 10, drainMs: 5000, pollMs: 50 };
let service: Service | undefined;

function setBack(hours: number): void {
  const rightNow = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => rightNow() - hours * 3_600_000);
}

afterAll(() => senders.close());

afterEach(async () => {
  await service?.stop();
  vi.restoreAllMocks();
});

describe('when the clock of the machine is set back by an hour', () => {
  it('a dispatcher takes up at once what it could not claim a moment before', async () => {
    const workspaceId = 'held';
    const counts = { telegram: 1 };
    await addSandboxChannels(database.admin, sandbox, { workspaceId, counts });
    await post(database.service, workspaceId, 'Hello');
    const operator = await sessions.open(database.admin);
    await operator.client.query('select from outrider.deliveries for update');
    const client = new WatchedClient(database.service);
    service = startDispatcher({ client, deliver: senders.deliver, ...settings });
    const answered = () =>
      client.callsOf('claim_deliveries').filter((each) => each.ended === 'answered');
    await vi.waitUntil(() => answered().length > 0, 30_000);

    setBack(1);
    await operator.rollback();

    const statuses = () => statusesOf(database.admin, workspaceId);
    await vi.waitFor(async () => expect(await statuses()).toEqual({ sent: 1 }), 20_000);
  });

  it('a bot goes on answering', async () => {
    const workspaceId = 'bot';
    await addSandboxBot(database.admin, workspaceId);
    const person = addPerson(sandbox, 'max');
    const answered: string[] = [];
    service = startReplier({
      client: database.service,
      clock: systemClock,
      async sendReply({ replyId, claimToken }) {
        answered.push(replyId);
        return { replyId, claimToken, ok: true, providerMessageId: replyId };
      },
      ...settings,
    });
    await hear(database.service, workspaceId, person, 'first');
    await vi.waitUntil(() => answered.length > 0, 30_000);

    setBack(1);
    const before = answered.length;
    await hear(database.service, workspaceId, person, 'second');

    await vi.waitFor(() => expect(answered.length).toBeGreaterThan(before), 20_000);
  });
});
