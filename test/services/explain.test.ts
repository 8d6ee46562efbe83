import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Explanation, explainDelivery, explainPost } from '../../src/db/explain.ts';
import { disableChannels, pauseChannels } from '../../src/db/operate.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { after, start } from '../support/database/seed.ts';
import { endCases, purgeCases } from '../support/explain/end-cases.ts';
import { gateCases } from '../support/explain/gate-cases.ts';
import { intakeCases } from '../support/explain/intake-cases.ts';
import { routingCases } from '../support/explain/routing-cases.ts';
import { type Question, type ReasonCase, Stage } from '../support/explain/stage.ts';
import { turnCases } from '../support/explain/turn-cases.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { liftLimits } from '../support/sandbox/sandbox-posts.ts';
import { openSending, type Sending } from '../support/sandbox/sending.ts';

// Each reason is made to happen: posts come in by the functions of the intake, are claimed and committed, or are sent by the
// real adapters to the sandbox. Then somebody asks.

const database = await useDatabase();
let sending: Sending;

beforeAll(async () => {
  sending = await openSending(database);
  liftLimits(sending.sandbox);
});
afterAll(() => sending.close());

const cases: readonly ReasonCase[] = [
  ...gateCases,
  ...turnCases,
  ...endCases,
  ...routingCases,
  ...intakeCases,
  ...purgeCases,
];

const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

async function asked(workspaceId: string, question: Question): Promise<Explanation[]> {
  const { deliveryId, search = '', channelId, now } = question;
  return deliveryId === undefined
    ? explainPost(database.service, { workspaceId, search, channelId }, now)
    : explainDelivery(database.service, { workspaceId, deliveryId }, now);
}

const Words = z.object({ reason: z.string(), because: z.string(), advice: z.string() });

function knownReasons(): Promise<z.output<typeof Words>[]> {
  return queryRows(database.admin, Words, 'select * from outrider.reasons()');
}

describe('why a post is not there', () => {
  it.each(cases)('is said: $reason', async (each) => {
    const stage = await Stage.open(database, sending);
    const { workspaceId } = stage;
    const rows = await asked(workspaceId, await each.provoke(stage));
    const place = rows.findIndex(({ detail }) => detail['reason'] === each.reason);
    const meant = rows[place];
    const plain = (text = ''): string =>
      text.replaceAll(uuid, '<id>').replaceAll(`orkspace ${workspaceId} `, 'orkspace city ');
    expect({
      isMain: place === 0 || each.beside === true,
      because: plain(meant?.because),
      advice: plain(meant?.advice),
      until: each.until === undefined ? undefined : (meant?.until?.toISOString() ?? null),
    }).toEqual({
      isMain: true,
      because: each.because,
      advice: each.advice,
      until: each.until,
    });
  });

  it('names only the order to enable for a disabled channel, also where it was paused before', async () => {
    const stage = await Stage.open(database, sending);
    const { workspaceId } = stage;
    await stage.channel();
    const deliveryId = await stage.queue();
    const order = { workspaceId, channelIds: ['news'], operator: 'ann', reason: 'repairs' };
    await pauseChannels(database.service, { ...order, until: after(3600) }, start);
    await disableChannels(database.service, order, start);
    const rows = await explainDelivery(database.service, { workspaceId, deliveryId }, start);
    expect(rows.map(({ advice }) => advice)).toEqual([
      'Enable it: `outrider channels enable news --reason …`.',
    ]);
  });

  it('speaks of the latest attempt, also when a sender went away during an earlier one', async () => {
    const stage = await Stage.open(database, sending);
    const { workspaceId } = stage;
    await stage.channel();
    const deliveryId = await stage.queue();
    await stage.claim(start);
    await recoverLeases(database.service, workspaceId, after(60));
    await stage.fail({ code: 'busy', message: 'try later.', outcome: 'refused' }, after(70));
    const [main] = await asked(workspaceId, { deliveryId, now: after(71) });
    expect(main?.because).toBe(
      'Attempt 2 of 5 failed, and there will be another: busy: try later.',
    );
  });

  it('is the posting window alone when that opens after the time for which a post was handed in', async () => {
    const stage = await Stage.open(database, sending);
    const posting_window = { mon: [['12:00', '18:00']] };
    await stage.channel({ window_mode: 'windowed', timezone: 'UTC', posting_window });
    const post = { text: 'Lost: a parrot', scheduled_for: after(60) };
    const deliveryId = await stage.queue(post);
    const rows = await asked(stage.workspaceId, { deliveryId, now: after(1) });
    expect(rows.map(({ detail, until }) => [detail['reason'], until])).toEqual([
      ['window_closed', new Date(after(2 * 3600))],
    ]);
  });

  it('is tried for every reason that there is, each in sentences of its own', async () => {
    const known = await knownReasons();
    expect(cases.map(({ reason }) => reason).toSorted()).toEqual(
      known.map(({ reason }) => reason).toSorted(),
    );
    expect(new Set(cases.map(({ because }) => because)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(70);
  });

  it('is listed on the page that explains it, sentence by sentence', async () => {
    const page = await readFile(new URL('../../docs/explain.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)];
    expect(listed.map(([, reason, because, advice]) => ({ reason, because, advice }))).toEqual(
      await knownReasons(),
    );
  });

  it('is said in whole sentences that have all their facts', async () => {
    for (const { reason, because, advice } of await knownReasons()) {
      for (const sentence of [because, advice]) {
        expect([reason, sentence]).toEqual([
          reason,
          expect.stringMatching(/^([A-Z].*|\{(platform|others|remedy)\} .*)\.$|^\{remedy\}$/s),
        ]);
      }
    }
  });
});
