import { describe, expect, it } from 'vitest';
import { refusalOf, tryCall } from '../support/database/tried-calls.ts';
import {
  type Furnished,
  lawfulCalls,
  sentOutcome,
  useTwoWorkspaces,
} from '../support/database/two-workspaces.ts';

// Ids that are well formed and name nothing here: nobody's, or another workspace's.

const scene = await useTwoWorkspaces();
const { north, south } = scene;
const calls = lawfulCalls(north);

const nobodys: Furnished = {
  workspaceId: 'nowhere',
  queued: '00000000-0000-4000-8000-000000000001',
  sending: '00000000-0000-4000-8000-000000000002',
  claimToken: '00000000-0000-4000-8000-000000000003',
  leaseToken: '00000000-0000-4000-8000-000000000007',
  failed: '00000000-0000-4000-8000-000000000004',
  message: '00000000-0000-4000-8000-000000000005',
  failedEvent: '00000000-0000-4000-8000-000000000006',
};

const strangers = [
  { whose: "nobody's", place: nobodys },
  { whose: "another workspace's", place: south },
];

const failedOutcome = (place: Furnished): object => ({
  delivery_id: place.sending,
  claim_token: place.claimToken,
  ok: false,
  error: { category: 'TRANSIENT', scope: 'delivery', code: '500' },
});

const stale = { became: null, next_retry_at: null, note: expect.stringMatching(/^stale: /) };
const unknown = { became: null, next_retry_at: null, note: expect.stringMatching(/^unknown: /) };

/** Arguments that name one delivery (which one, in the lawful call): a stranger's is not found. */
const notFound: Readonly<Record<string, 'sending' | 'failed' | 'queued'>> = {
  'mark_sent.p_delivery_id': 'sending',
  'schedule_retry.p_delivery_id': 'sending',
  'fail_permanent.p_delivery_id': 'sending',
  'hold_delivery.p_delivery_id': 'sending',
  'save_progress.p_delivery_id': 'sending',
  'take_call.p_delivery_id': 'sending',
  'show_delivery.p_delivery_id': 'sending',
  'list_deliveries.p_before': 'failed',
  'list_events.p_delivery_id': 'queued',
};

/** Arguments that name one alert. */
const alertNotFound = ['ack_alert.p_alert_id', 'show_alert.p_alert_id'];

/** Arguments that prove a lease: with a stranger's, somebody else is at it. */
const lostLease = ['ingest_pull_chunk.p_lease_token'];

/** What commit_sent answers of the two deliveries of its lawful call. */
const ofBoth = (place: Furnished, note: unknown): readonly unknown[] =>
  [place.sending, place.queued].toSorted().map((delivery_id) => ({ delivery_id, note }));

/** Arguments whose function answers a stranger's id, with these rows. */
const answers: Readonly<Record<string, (place: Furnished) => readonly unknown[]>> = {
  'commit_sent.p_delivery_ids': (place) => ofBoth(place, unknown.note),
  'commit_sent.p_claim_tokens': () => ofBoth(north, stale.note),
  'mark_sent.p_claim_token': () => [{ delivery_id: north.sending, ...stale }],
  'schedule_retry.p_claim_token': () => [{ delivery_id: north.sending, ...stale }],
  'fail_permanent.p_claim_token': () => [{ delivery_id: north.sending, ...stale }],
  'hold_delivery.p_claim_token': () => [{ hold_delivery: null }],
  'save_progress.p_claim_token': () => [{ save_progress: false }],
  'take_call.p_claim_token': () => [],
  'extend_leases.p_claim_tokens': () => [],
  'extend_bot_replies.p_reply_ids': () => [],
  'extend_bot_replies.p_claim_token': () => [],
  'release_claims.p_claim_token': () => [],
  'release_claims.p_delivery_ids': () => [],
  'list_deliveries.p_message_id': () => [],
  'list_events.p_message_id': () => [],
  'post_excerpts.p_message_ids': () => [],
  'resolve_deliveries.p_delivery_ids': (place) => [
    {
      delivery_id: place.failed,
      resolved: false,
      note: expect.stringContaining('no such delivery'),
    },
  ],
  'hold_notification.p_notification_id': () => [{ hold_notification: false }],
  'hold_notification.p_claim_token': () => [{ hold_notification: false }],
  'commit_notification.p_notification_id': () => [{ commit_notification: null }],
  'commit_notification.p_claim_token': () => [{ commit_notification: null }],
  'extend_pull.p_lease_token': () => [{ extend_pull: false }],
  'release_pull.p_lease_token': () => [{ release_pull: false }],
  'fail_pull.p_lease_token': () => [{ fail_pull: null }],
  'keep_payload.p_delivery_id': () => [{ keep_payload: false }],
  'keep_payload.p_message_id': () => [{ keep_payload: false }],
  'requeue_deliveries.p_delivery_ids': (place) => [
    {
      delivery_id: place.failed,
      requeued: false,
      note: expect.stringContaining('no such delivery'),
    },
  ],
};

const inWorkspaces = scene.functions.filter((routine) =>
  routine.args.some((arg) => arg.name === 'p_workspace_id'),
);

// Events of the outbox are of no workspace; outbox-fetch and outbox-operate say what becomes of their ids.
const namesSomething = inWorkspaces.flatMap((routine) =>
  routine.args
    .filter((arg) => arg.type.startsWith('uuid'))
    .map((arg) => ({ routine, arg: arg.name, title: `${routine.name}.${arg.name}` })),
);

describe('an id that names nothing in the workspace', () => {
  it('has its answer for every argument that takes ids', () => {
    expect(namesSomething.map((each) => each.title).toSorted()).toEqual(
      [
        ...Object.keys(notFound),
        ...alertNotFound,
        ...lostLease,
        ...Object.keys(answers),
      ].toSorted(),
    );
  });

  const cases = namesSomething.flatMap(({ routine, arg, title }) =>
    strangers.map(({ whose, place }) => {
      const args = { ...calls[routine.name], [arg]: lawfulCalls(place)[routine.name]?.[arg] };
      return { routine, title, whose, place, args };
    }),
  );

  it.each(cases.filter(({ title }) => title in notFound))(
    'is not found: $whose in $title',
    async ({ routine, title, place, args }) => {
      const error = await refusalOf(scene, routine, args);
      expect(error).toMatchObject({
        sqlstate: 'OR002',
        code: 'not_found',
        message: `${routine.name}: workspace "north" has no delivery ${place[notFound[title] ?? 'sending']}`,
      });
    },
  );

  it.each(cases.filter(({ title }) => alertNotFound.includes(title)))(
    'is not found: $whose in $title',
    async ({ routine, args }) => {
      const error = await refusalOf(scene, routine, args);
      const message = `${routine.name}: workspace "north" has no alert ${String(args['p_alert_id'])}`;
      expect(error).toMatchObject({ sqlstate: 'OR002', code: 'not_found', message });
    },
  );

  it.each(cases.filter(({ title }) => lostLease.includes(title)))(
    'is a lost lease: $whose in $title',
    async ({ routine, args }) => {
      const error = await refusalOf(scene, routine, args);
      expect(error).toMatchObject({ sqlstate: 'OR005', code: 'still_in_flight' });
    },
  );

  it.each(cases.filter(({ title }) => title in answers))(
    'is answered and changes nothing: $whose in $title',
    async ({ routine, title, place, args }) => {
      const { rows, error, changed } = await tryCall(scene, routine, args);
      const expected = answers[title]?.(place);
      expect({ rows, error, changed }).toEqual({ rows: expected, error: undefined, changed: [] });
    },
  );

  it.each(strangers)('is told so for each outcome of a batch: $whose', async ({ place }) => {
    const outcomes = [sentOutcome(place), { ...failedOutcome(place), delivery_id: place.failed }];
    const { rows, changed } = await commit(outcomes);
    expect(changed).toEqual([]);
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({ delivery_id: place.sending, ...unknown });
    expect(rows).toContainEqual({ delivery_id: place.failed, ...unknown });
  });

  it('does not keep the rest of its batch from being recorded', async () => {
    const outcomes = [sentOutcome(nobodys), sentOutcome(north), sentOutcome(south)];
    const { rows } = await commit(outcomes);
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual(
      expect.objectContaining({ delivery_id: nobodys.sending, ...unknown }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ delivery_id: south.sending, ...unknown }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ delivery_id: north.sending, became: 'sent', note: null }),
    );
  });

  it.each([
    { outcome: sentOutcome, title: 'a success' },
    { outcome: failedOutcome, title: 'a failure' },
  ])('is a stale commit when it is the token of $title', async ({ outcome }) => {
    const { rows, changed } = await commit([{ ...outcome(north), claim_token: south.claimToken }]);
    expect({ rows, changed }).toEqual({
      rows: [{ delivery_id: north.sending, ...stale }],
      changed: [],
    });
  });
});

describe('a workspace that does not exist', () => {
  it.each(inWorkspaces)('is not found by $name', async (routine) => {
    const args = { ...calls[routine.name], p_workspace_id: 'nowhere' };
    const error = await refusalOf(scene, routine, args);
    expect(error).toMatchObject({ sqlstate: 'OR002', code: 'not_found' });
    expect(error.message).toBe(`${routine.name}: there is no workspace "nowhere"`);
  });
});

async function commit(outcomes: readonly object[]): ReturnType<typeof tryCall> {
  const routine = scene.functions.find((each) => each.name === 'commit_outcomes');
  if (routine === undefined) throw new Error('commit_outcomes is not public');
  return tryCall(scene, routine, {
    ...calls['commit_outcomes'],
    p_outcomes: JSON.stringify(outcomes),
  });
}
