import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type GivenError } from '../../src/db/commit.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { addChannel, addDelivery, addNewWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed } from '../support/queue/outcomes.ts';

// What the queue knows of a failure: by the fields of its error, or by its code where a program gives none.

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  await addDelivery(database.admin, workspaceId, 'news');
});

const Recorded = z.object({
  outcome: z.string().nullable(),
  cause: z.string().nullable(),
  outcome_unknown: z.boolean(),
  counted: z.boolean(),
  closed: z.boolean(),
});

/** Fails the delivery with an error, and reads what was recorded. */
async function record(error: Partial<GivenError>): Promise<z.output<typeof Recorded>> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(database.service, request, start);
  if (held === undefined) throw new Error('nothing was claimed');
  await commitOutcomes(database.service, workspaceId, [failed(held, error)], start);
  return queryRow(
    database.admin,
    Recorded,
    `select last_error ->> 'outcome' as outcome, last_error ->> 'cause' as cause, outcome_unknown,
       attempt_limit = s.max_attempts as counted,
       exists (select from outrider.platform_limits g where g.workspace_id = $1 and g.closed_at is not null) as closed
     from outrider.deliveries d join outrider.workspace_settings s using (workspace_id)
     where workspace_id = $1`,
    [workspaceId],
  );
}

describe('an error without an outcome', () => {
  it.each([
    ['outcome_unknown', 'unknown', 'outage'],
    ['timeout', 'unknown', 'outage'],
    ['503', 'unknown', 'outage'],
    ['unreachable', 'not_sent', 'outage'],
    ['media_unreadable', 'not_sent', 'sender'],
    ['aborted', 'not_sent', 'sender'],
    ['rate_limited', 'refused', 'pace'],
    ['429', 'refused', 'pace'],
    ['credential_refused', 'refused', 'credential'],
    ['media_not_ready', 'refused', 'not_ready'],
    ['busy', 'refused', null],
  ])('is read by its code: %s is %s, %s', async (code, outcome, cause) => {
    expect(await record({ code })).toMatchObject({ outcome, cause });
  });

  it.each(['channel', 'platform'] as const)(
    'tells the pace when it is of a %s and names a time',
    async (scope) => {
      const told = await record({ scope, code: 'busy', retryAfterMs: 5000 });
      expect(told).toMatchObject({ outcome: 'refused', cause: 'pace', counted: false });
    },
  );

  it('keeps the cause that it has', async () => {
    const told = await record({ code: 'PEER_FLOOD', cause: 'pace' });
    expect(told).toMatchObject({ outcome: 'refused', cause: 'pace', counted: false });
  });
});

describe('an error with an outcome', () => {
  it('is taken at its word, whatever its code', async () => {
    const told = await record({ code: 'timeout', outcome: 'refused' });
    expect(told).toEqual({
      outcome: 'refused',
      cause: null,
      outcome_unknown: false,
      counted: true,
      closed: false,
    });
  });

  it('marks the delivery when it is unknown', async () => {
    const told = await record({ code: 'ECONNRESET', outcome: 'unknown', cause: 'outage' });
    expect(told).toMatchObject({ outcome_unknown: true, counted: true });
  });

  it('uses up no attempt when the platform was not reached', async () => {
    const told = await record({ code: 'ENOTFOUND', outcome: 'not_sent', cause: 'outage' });
    expect(told).toMatchObject({ outcome_unknown: false, counted: false });
  });

  it('closes the rate group when the credential is the cause', async () => {
    const error = { code: 'E401', outcome: 'refused', cause: 'credential' } as const;
    expect(await record({ ...error, scope: 'platform' })).toMatchObject({ closed: true });
  });

  it.each([
    ['outcome', { outcome: 'perhaps' }],
    ['cause', { cause: 'weather' }],
  ])('is refused with an %s that there is not', async (_field, fields) => {
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, start);
    const error = { category: 'TRANSIENT', scope: 'delivery', code: 'busy', ...fields };
    const outcome = {
      delivery_id: held?.deliveryId,
      claim_token: held?.claimToken,
      ok: false,
      error,
    };
    const call = database.service.query('select outrider.commit_outcomes($1, $2)', [
      workspaceId,
      JSON.stringify([outcome]),
    ]);
    await expect(call).rejects.toMatchObject({ code: 'OR001' });
  });
});
