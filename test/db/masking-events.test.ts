import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callFunction } from '../../src/db/call.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { failedReply } from '../support/bot/lawful-bot-calls.ts';
import {
  type Arguments,
  inOrder,
  lawfulCalls,
  sentOutcome,
  useTwoWorkspaces,
} from '../support/database/two-workspaces.ts';

// What callers hand in may hold secrets. Whatever function it passes through, none of them is found
// in an event, in a delivery's or an outbox event's last error, or in the record of a replay.

const { database, north, functions } = await useTwoWorkspaces();
const calls = lawfulCalls(north);

const canaries = {
  token: '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1',
  header: 'Bearer 5f4dcc3b5aa765d61d8327deb882cf99',
  phone: '+7 (916) 123-45-67',
  email: 'ann.lee@example.com',
};
const secrets = [...Object.values(canaries), '5f4dcc3b5aa765d61d8327deb882cf99'];

const text = Object.values(canaries).join(' and ');
const json = { body: text, list: [text, { text }], authorization: canaries.header, ...canaries };
const parts = [{ item: 0, provider_message_id: canaries.email, ...canaries }];
const error = {
  category: 'TRANSIENT',
  scope: 'delivery',
  code: text,
  message: `the provider said: ${text}`,
  raw: json,
};
const { provider_message_id: _, ...held } = sentOutcome(north);

const bound = { platform: 'telegram', secret_ref: `env:${canaries.token}` };

const post = {
  text,
  title: text,
  tags: [text, canaries.email],
  source_ref: canaries.phone,
  trace_id: `${canaries.token} ${canaries.email}`,
  source: json,
  fields: canaries,
};

/** Every way in: the function, and the arguments that carry the canaries. */
const ways: readonly { title: string; name: string; args: Arguments }[] = [
  { title: 'the id of a run', name: 'claim_deliveries', args: { p_run_id: text } },
  { title: 'the id of a run that pulls', name: 'claim_pull_source', args: { p_run_id: text } },
  {
    title: 'the run, the operator and the reason of a pull',
    name: 'pull_now',
    args: { p_run_id: text, p_operator: text, p_reason: text },
  },
  { title: 'why a pull failed', name: 'fail_pull', args: { p_error: text } },
  {
    title: 'why a pull failed, cut where a secret stands',
    name: 'fail_pull',
    args: { p_error: 'x'.repeat(480) + text },
  },
  { title: 'the name of a dispatcher', name: 'next_workspaces', args: { p_dispatcher: text } },
  { title: 'saved parts', name: 'save_progress', args: { p_parts: JSON.stringify(parts) } },
  {
    title: 'the meta and the parts of a success',
    name: 'commit_outcomes',
    args: { p_outcomes: JSON.stringify([{ ...sentOutcome(north), meta: json, parts }]) },
  },
  {
    title: 'the meta of a success when it is a text',
    name: 'commit_outcomes',
    args: { p_outcomes: JSON.stringify([{ ...sentOutcome(north), meta: text }]) },
  },
  ...['TRANSIENT', 'PERMANENT'].flatMap((category) =>
    ['delivery', 'channel', 'platform'].map((scope) => ({
      title: `the error and the parts of a ${category} failure of scope ${scope}`,
      name: 'commit_outcomes',
      args: {
        p_outcomes: JSON.stringify([
          { ...held, ok: false, error: { ...error, category, scope }, parts },
        ]),
      },
    })),
  ),
  {
    title: 'a raw answer that is a text',
    name: 'commit_outcomes',
    args: { p_outcomes: JSON.stringify([{ ...held, ok: false, error: { ...error, raw: text } }]) },
  },
  {
    title: 'a raw answer that is cut where a secret stands',
    name: 'schedule_retry',
    args: { p_error_json: JSON.stringify({ ...error, raw: 'x'.repeat(980) + text }) },
  },
  {
    title: 'a message that is cut where a secret stands',
    name: 'schedule_retry',
    args: { p_error_json: JSON.stringify({ ...error, message: 'x'.repeat(480) + text }) },
  },
  {
    title: 'a code that is cut where a secret stands',
    name: 'schedule_retry',
    args: { p_error_json: JSON.stringify({ ...error, code: `${'x'.repeat(80)} ${text}` }) },
  },
  { title: 'a raw answer', name: 'mark_sent', args: { p_raw_meta: JSON.stringify(json) } },
  {
    title: 'an error',
    name: 'fail_permanent',
    args: { p_error_json: JSON.stringify({ ...error, category: 'PERMANENT' }) },
  },
  ...[
    'requeue_deliveries',
    'resolve_deliveries',
    'release_stale',
    'pause_channels',
    'resume_channels',
    'enable_channels',
    'disable_channels',
    'enable_rate_group',
    'disable_rate_group',
    'rotate_auth',
  ].map((name) => ({
    title: 'the operator and the reason',
    name,
    args: { p_operator: text, p_reason: text },
  })),
  {
    title: 'the operator and the reason of a pause before a rotation',
    name: 'rotate_auth',
    args: { p_operator: text, p_reason: text, p_force: false },
  },
  {
    title: 'the operator and the reason of opening a group',
    name: 'reopen_credential',
    args: { p_operator: text, p_reason: text },
  },
  {
    title: 'the address of a blob',
    name: 'keep_media_origin',
    args: { p_origin_url: `https://store/?${text}`, p_content_type: text },
  },
  ...[post, { ...post, text: 7 }].map((payload) => ({
    title: `a pulled item ${payload === post ? '' : 'that cannot be taken in'}`,
    name: 'ingest_pull_chunk',
    args: {
      p_items: JSON.stringify([
        { item_ref: text, payload, left_out: [{ path: 'media[0].url', reason: text }] },
      ]),
      p_cursor_to: JSON.stringify(json),
    },
  })),
  {
    title: 'a post',
    name: 'enqueue_messages_and_deliveries',
    args: { p_raw_payload: JSON.stringify(post) },
  },
  {
    title: 'a post that is a repeat',
    name: 'drop_repeated_push',
    args: { p_raw_payload: JSON.stringify({ ...post, source_ref: 'post-1' }) },
  },
  {
    title: 'a post that is only looked at',
    name: 'preview_post',
    args: { p_raw_payload: JSON.stringify(post) },
  },
  {
    title: 'a post whose media were copied',
    name: 'enqueue_copied_post',
    args: { p_raw_payload: JSON.stringify(post), p_received: JSON.stringify(post) },
  },
  {
    title: 'what a picture looks like',
    name: 'keep_picture_hash',
    args: { p_picture_hash: '8f3c1e7a5b9d2460' },
  },
  ...[post, { ...post, text: 7 }, { ...post, [text]: 1 }].map((payload, index) => ({
    title: `a pushed post ${index === 0 ? '' : `that cannot be taken in (${index})`}`,
    name: 'ingest_push',
    args: { p_raw_payload: JSON.stringify(payload), p_trace_id: text.slice(0, 128) },
  })),
  {
    title: 'a configuration',
    name: 'apply_workspace',
    args: {
      p_document: JSON.stringify({
        workspace: north.workspaceId,
        name: text,
        credentials: { bot: { secret_ref: `env:${text}` }, [canaries.email]: bound },
        channels: {
          news: {
            title: text,
            target_id: canaries.phone,
            auth_ref: canaries.email,
            settings: json,
            enabled: false,
          },
        },
        pull_sources: { feed: { config: json } },
      }),
    },
  },
  {
    title: 'what an application emits',
    name: 'emit_event',
    args: {
      p_data: JSON.stringify(json),
      p_actor: JSON.stringify({ type: 'user', id: canaries.email, ...canaries }),
    },
  },
  {
    title: 'what a broker said',
    name: 'mark_publish_failed',
    args: { p_failures: JSON.stringify([{ event_id: north.failedEvent, error: text }]) },
  },
  {
    title: 'what a broker said, cut where a secret stands',
    name: 'mark_publish_failed',
    args: {
      p_failures: JSON.stringify([
        { event_id: north.failedEvent, error: `${'x'.repeat(980)} ${text}` },
      ]),
    },
  },
  {
    title: 'the operator and the reason of a replay',
    name: 'replay_outbox_events',
    args: { p_operator: text, p_reason: text },
  },
  {
    title: 'the operator and the reason of passing over',
    name: 'skip_outbox_events',
    args: { p_operator: text, p_reason: text },
  },
  {
    title: 'the reason of a rejection',
    name: 'reject_ingress',
    args: { p_reason: text },
  },
  {
    title: 'the run of a raw request',
    name: 'keep_payload',
    args: { p_kind: 'request', p_delivery_id: null, p_run_id: text },
  },
  ...['read_payload', 'link_payload'].map((name) => ({
    title: 'the operator and the reason',
    name,
    args: { p_operator: text, p_reason: text },
  })),
  ...['ack_alert', 'silence_alerts', 'unsilence_alerts'].map((name) => ({
    title: 'the operator and the reason',
    name,
    args: { p_operator: text, p_reason: text },
  })),
  { title: 'the id of a run', name: 'claim_bot_replies', args: { p_run_id: text } },
  ...['TRANSIENT', 'PERMANENT'].flatMap((category) =>
    ['delivery', 'channel', 'platform'].map((scope) => ({
      title: `the error of an answer, ${category}, of scope ${scope}`,
      name: 'commit_bot_replies',
      args: { p_outcomes: failedReply(north, { ...error, category, scope }) },
    })),
  ),
  {
    title: 'what somebody writes to a bot',
    name: 'take_bot_update',
    args: {
      p_update: JSON.stringify({ kind: 'message', text, chat_id: 'c1', provider_message_id: 'm1' }),
      p_trace_id: text,
    },
  },
  { title: 'why a turn failed', name: 'fail_bot_turn', args: { p_error: text } },
  {
    title: 'what somebody might write to a bot',
    name: 'decide_bot_turn',
    args: { p_input: JSON.stringify({ kind: 'message', text }) },
  },
  {
    title: 'the operator and the reason',
    name: 'resume_bot_chat',
    args: { p_operator: text, p_reason: text },
  },
  {
    title: 'what an alert target said',
    name: 'commit_notification',
    args: { p_error: text },
  },
  {
    title: 'what a process knows about its machine',
    name: 'beat',
    args: { p_facts: JSON.stringify({ store_refuses: text }) },
  },
  {
    title: 'the operator, the reason and the contact',
    name: 'erase_contact',
    args: { p_operator: text, p_reason: text, p_contact: canaries.email },
  },
  {
    title: 'a post that fails its checks',
    name: 'enqueue_messages_and_deliveries',
    args: { p_raw_payload: JSON.stringify({ ...post, text: `<${text}>`, parse_mode: 'HTML' }) },
  },
  {
    title: 'two posts of one content with other tags',
    name: 'enqueue_batch',
    args: {
      p_items: JSON.stringify([post, { ...post, tags: ['other'] }, { ...post, [text]: 1 }]),
    },
  },
];

describe('a secret', () => {
  it('is tried in every function that takes texts or JSON', () => {
    const open = functions.filter((routine) =>
      routine.args.some(
        (arg) => (arg.type === 'text' || arg.type === 'jsonb') && !isAnId(arg.name),
      ),
    );
    expect([...new Set(ways.map((way) => way.name))].toSorted()).toEqual(
      open.map((routine) => routine.name).toSorted(),
    );
  });

  it.each(ways)('is not kept from $title: $name', async ({ name, args }) => {
    const kept = await keptAfter(name, args);
    expect(secrets.filter((secret) => kept.some((row) => includes(row, secret)))).toEqual([]);
  });

  it('leaves an error that still says what happened', async () => {
    const message = `Bad Request: chat -1001234567890 not found (bot${canaries.token})`;
    const given = { category: 'TRANSIENT', scope: 'delivery', code: '400', message };
    const kept = await keptAfter('schedule_retry', { p_error_json: JSON.stringify(given) });
    const said = 'Bad Request: chat -1001234567890 not found (bot[token])';
    expect(kept.filter((row) => row.includes(said))).toHaveLength(2);
  });
});

/** Every event and every last error as texts, after a lawful call with these arguments. */
async function keptAfter(name: string, args: Arguments): Promise<string[]> {
  const routine = functions.find((each) => each.name === name);
  if (routine === undefined) throw new Error(`${name} is not public`);
  const client = await database.admin.connect();
  try {
    await client.query('begin');
    const given = inOrder(routine, { ...calls[name], ...args });
    expect(await callFunction(client, { name, args: given, row: z.unknown() })).not.toEqual([]);
    const rows = await queryRows(
      client,
      z.object({ kept: z.string() }),
      `select e::text as kept from outrider.events e
       union all
       select c.stopped_because::text from outrider.channels c where c.stopped_because is not null
       union all
       select d.last_error::text from outrider.deliveries d where d.last_error is not null
       union all
       select o.last_error from outrider.outbox_events o where o.last_error is not null
       union all
       select r::text from outrider.outbox_replays r
       union all
       select s::text from outrider.outbox_skips s
       union all
       select r::text from outrider.payload_reads r
       union all
       select l::text from outrider.payload_links l
       union all
       select a::text from outrider.alerts a
       union all
       select s::text from outrider.alert_silences s
       union all
       select n::text from outrider.alert_notifications n
       union all
       select h::text from outrider.service_heartbeats h
       union all
       select l::text from outrider.bot_logs l
       union all
       select o.last_error::text from outrider.bot_outbox o where o.last_error is not null`,
    );
    return rows.map((row) => row.kept);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

// An id names a thing and is kept as it is: the workspace, what belongs to it, and what the provider calls a
// message, a chat or a file. A hash is refused unless it is one. What is only looked for is not kept at all.
const ids = [
  'workspace_id',
  'endpoint_id',
  'source_id',
  'chat_id',
  'channel_id',
  'blob_ref',
  'auth_ref',
  'platform',
  'rate_group',
  'state',
  'part',
  'delivery_id',
  'search',
  'provider',
  'provider_message_id',
  'target_id',
  'file_id',
  'secret_hash',
  'sha256',
  'consumer',
  'payload_ref',
  'object_url',
  'key_id',
  'token_hash',
  'after',
  'name',
  'host',
  'version',
  'matches',
];

function isAnId(argument: string): boolean {
  return ids.includes(argument.replace(/^p_/, ''));
}

/** Also when the row quotes it in its own way, or has only the beginning of it. */
function includes(row: string, secret: string): boolean {
  return row.replaceAll('\\', '').includes(secret.slice(0, 12));
}
