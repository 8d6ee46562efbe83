import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { addChannel, addWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Ask,
  answeredSections,
  inOrder,
  NamedWorld,
  questionsOf,
  sqlOf,
} from '../support/queries/documented-answers.ts';

// Asks each question of docs/queries.md about channels, intake and media in a small database whose answers are known. A second
// workspace holds the same rows, which no query may read.

const database = await useDatabase();
const world = new NamedWorld(database.admin);

beforeAll(async () => {
  for (const workspaceId of ['city', 'town']) {
    const { admin } = database;
    await addWorkspace(admin, workspaceId);
    await addChannel(admin, workspaceId, 'news', { target_id: '-1007', tags: ['city33'] });
    await addChannel(admin, workspaceId, 'pets', { paused_until: after(60) });
    await addChannel(admin, workspaceId, 'off', { enabled: false });
    for (const text of rowsOfIntake) await admin.query(text, [workspaceId, start]);
  }
});

// $1 is the workspace, $2 the time.
const rowsOfIntake = [
  `insert into outrider.workspace_endpoints (workspace_id, endpoint_id, kind, secret_hash, created_at, updated_at)
   values ($1, 'webhook_push', 'webhook_push', encode(sha256($1::text::bytea), 'hex'), $2, $2)`,
  `insert into outrider.ingress_receipts
     (workspace_id, endpoint_id, endpoint_kind, source_ref, payload_hash, received_at, expires_at)
   select $1, 'webhook_push', 'webhook_push', ref, hash, $2::timestamptz + age, $2::timestamptz + age + interval '2 days'
   from (values ('post-42', 'aa', interval '-3 days'), (null, 'bb', '-1 hour'), (null, 'bb', '-1 minute')) r (ref, hash, age)`,
  `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
   values ($1, 'feed1', 'rss', '{}', $2)`,
  `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
   values ($1, 'held', 'rss', '{}', $2), ($1, 'later', 'rss', '{}', $2::timestamptz + interval '1 hour')`,
  `update outrider.pull_cursors set cursor_json = '{"last_seen_id": "item-1"}', next_pull_at = $2::timestamptz - interval '1 minute'
   where workspace_id = $1 and source_id = 'feed1'`,
  `update outrider.pull_cursors set lease_token = gen_random_uuid(), lease_until = $2::timestamptz + interval '1 minute', leased_by = 'x'
   where workspace_id = $1 and source_id = 'held'`,
  `insert into outrider.pull_receipts (workspace_id, source_id, item_ref, received_at)
   select $1, 'feed1', ref, $2 from unnest(array['item-1', 'item-9']) ref`,
  `insert into outrider.ingest_runs (workspace_id, run_id, kind, started_at, finished_at, stats_json)
   select $1, run, 'pull', $2::timestamptz + age, $2, '{"taken": 1}'
   from (values ('run-1', interval '-2 minutes'), ('run-2', '-1 minute')) r (run, age)`,
  `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, ref_count, created_at)
   select $1, ref, 'file:' || ref, $2::timestamptz + age, uses, $2
   from (values ('blob-7', interval '-40 days', 1), ('blob-8', '-40 days', 0), ('blob-9', '-1 day', 0)) r (ref, age, uses)`,
  `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, ref_count, created_at)
   values ($1, 'blob-10', 'file:7', $2, 1, $2)`,
  `insert into outrider.media_blobs (workspace_id, blob_ref, provider, auth_ref, file_id, created_at, updated_at)
   select $1, 'blob-7', 'telegram', auth, 'file of ' || auth, $2, $2 from unnest(array['bot', 'other']) auth`,
  `insert into outrider.messages
     (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
   select $1, md5($1::text || n)::uuid, repeat(n::text, 64), '{"type": "text"}', 'trace', $2, $2 from generate_series(1, 4) n`,
  `insert into outrider.message_traces
     (workspace_id, message_id, keys, phones, urls, pictures, words, numbers, word_pairs, noted_at, expires_at)
   select $1, md5($1::text || n)::uuid, keys, '{}', '{}', '{}', '{}', '{}', '{}', $2::timestamptz - n * interval '1 day',
     $2::timestamptz - n * interval '1 day' + interval '3 days'
   from (values (1, '{7,8}'::bigint[]), (2, '{8}'), (3, '{9}'), (4, '{7}')) t (n, keys)`,
  `insert into outrider.raw_payloads
     (workspace_id, payload_ref, kind, object_url, key_id, size_bytes, created_at, expires_at)
   select $1, 'payload-' || n, 'request', 'folder:' || n, 'k1', 100, $2::timestamptz - interval '1 day', $2::timestamptz + age
   from (values (1, interval '0'), (7, interval '1 second')) r (n, age)`,
];

const day = 86_400;
const workspace = { workspace_id: 'city' };
const both = (row: Readonly<Record<string, unknown>>): Record<string, unknown>[] =>
  ['city', 'town'].map((workspace_id) => ({ workspace_id, ...row }));
const messageNo = (n: number, workspaceId = 'city'): string => uuidOf(`${workspaceId}${n}`);
const uuidOf = (text: string): string =>
  createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
const receipt = { receipt_id: expect.any(String) };

/** Each question with what it is asked, and what the answer is. */
const answers: Readonly<Record<string, () => readonly Ask[]>> = {
  'Which channels of a workspace are enabled?': () => [
    {
      values: workspace,
      rows: [
        { channel_id: 'news', platform: 'telegram', paused_until: null },
        { channel_id: 'pets', platform: 'telegram', paused_until: 60 },
      ],
    },
  ],
  'Which channels carry a tag?': () => [{ values: workspace, rows: [{ channel_id: 'news' }] }],
  'Is this destination taken?': () => [{ values: workspace, rows: [{ channel_id: 'news' }] }],
  'Whose secret is this?': () => [
    {
      values: { secret_hash: createHash('sha256').update('city').digest('hex') },
      rows: [
        {
          workspace_id: 'city',
          endpoint_id: 'webhook_push',
          ingress_rps: '5',
          max_payload_bytes: 262_144,
        },
      ],
    },
    { values: { secret_hash: createHash('sha256').update('?').digest('hex') }, rows: [] },
  ],
  'Has this endpoint seen this source reference?': () => [
    { values: workspace, rows: [{ ...receipt, received_at: -3 * day }] },
  ],
  'Has this endpoint seen this payload just now?': () => [
    {
      values: { ...workspace, payload_hash: 'bb', since: after(-600) },
      rows: [{ ...receipt, received_at: -60 }],
    },
    { values: { ...workspace, payload_hash: 'aa', since: after(-600) }, rows: [] },
  ],
  'Which receipts have expired?': () => [
    {
      values: { now: start },
      rows: ['city', 'town'].map((workspace_id) => ({ workspace_id, ...receipt })),
    },
  ],
  'Where did a source stop?': () => [
    { values: workspace, rows: [{ cursor_json: { last_seen_id: 'item-1' } }] },
  ],
  'Which pull sources are due?': () => [
    {
      values: { now: start },
      rows: ['city', 'town'].map((workspace_id) => ({
        workspace_id,
        source_id: 'feed1',
        next_pull_at: -60,
        failures: 0,
        last_error: null,
      })),
    },
  ],
  'Was this item taken from the source?': () => [
    { values: workspace, rows: [{ message_id: null, received_at: 0 }] },
  ],
  'How did the latest runs go?': () => [
    {
      values: workspace,
      rows: [
        ['run-2', -60],
        ['run-1', -120],
      ].map(([run_id, started_at]) => ({
        run_id,
        kind: 'pull',
        started_at,
        finished_at: 0,
        stats_json: { taken: 1 },
      })),
    },
  ],
  'Where is a blob, and has this credential uploaded it?': () => [
    {
      values: workspace,
      rows: [{ origin_url: 'file:blob-7', file_id: 'file of bot', url: null, expires_at: null }],
    },
  ],
  'Which blobs does no message name?': () => [
    {
      values: { ...workspace, last_month: after(-30 * day) },
      rows: [{ blob_ref: 'blob-8', origin_url: 'file:blob-8' }],
    },
  ],
  'Does any workspace name this file?': () => [{ values: {}, rows: both({ blob_ref: 'blob-10' }) }],
  'Is a raw payload kept at this address?': () => [
    { values: {}, rows: both({ payload_ref: 'payload-7' }) },
  ],
  'Which posts have something in common with this one?': () => [
    {
      values: { ...workspace, message_id: messageNo(1) },
      rows: [
        { message_id: messageNo(2), noted_at: -2 * day },
        { message_id: messageNo(4), noted_at: -4 * day },
      ],
    },
  ],
  'Which traces of posts have expired?': () => [
    {
      values: { now: start },
      rows: [4, 3].flatMap((n) =>
        ['city', 'town'].map((workspace_id) => ({
          workspace_id,
          message_id: messageNo(n, workspace_id),
        })),
      ),
    },
  ],
  'Which raw payloads have expired?': () => [
    {
      values: { now: start },
      rows: ['city', 'town'].map((workspace_id) => ({
        workspace_id,
        payload_ref: 'payload-1',
        object_url: 'folder:1',
      })),
    },
  ],
};

describe('the documented query answers:', () => {
  it.each(questionsOf(answeredSections.intake))('%s', async (question) => {
    const asks = answers[question]?.() ?? [];
    expect(asks).not.toEqual([]);
    for (const { values, rows } of asks) {
      expect(await world.ask(question, values)).toEqual(inOrder(sqlOf(question), rows));
    }
  });
});
