import { describe, expect, it } from 'vitest';
import { refusalOf, tryCall } from '../support/database/tried-calls.ts';
import { lawfulCalls, useTwoWorkspaces } from '../support/database/two-workspaces.ts';

// Every public function, as the catalogue lists them, with each argument in turn replaced by what
// its type lets through or almost lets through. Unknown ids and the insides of JSON follow in
// bad-input-ids and bad-input-json.

const scene = await useTwoWorkspaces();
const calls = lawfulCalls(scene.north);

interface Bad {
  readonly title: string;
  readonly value: unknown;
  /** PostgreSQL refuses it while it reads the argument: with a SQLSTATE of its own. */
  readonly unreadable?: true;
  /** A time so far away that nothing may happen then. A list may begin or end there; a slot from there is not held. */
  readonly far?: true;
}

const megabyte = 'x'.repeat(2 ** 20);
const id = '00000000-0000-4000-8000-000000000001';

const kinds: readonly Bad[] = [
  { title: 'null', value: null },
  { title: 'a kind that there is not', value: 'telepathy', unreadable: true },
];

const badValues: Readonly<Record<string, readonly Bad[]>> = {
  text: [
    { title: 'null', value: null },
    { title: 'an empty text', value: '' },
    { title: '1 MB of text', value: megabyte },
    { title: 'a text with a NUL', value: 'a\0b', unreadable: true },
  ],
  uuid: [
    { title: 'null', value: null },
    { title: 'a text that is no id', value: 'first', unreadable: true },
  ],
  'uuid[]': [
    { title: 'null', value: null },
    { title: 'an empty list', value: [] },
    { title: 'a list with a null', value: [id, null] },
    { title: 'a list of lists', value: [[id], [id]] },
    { title: '10,001 ids', value: Array.from({ length: 10_001 }, () => id) },
    { title: 'a list of texts that are no ids', value: ['first'], unreadable: true },
  ],
  'text[]': [
    { title: 'null', value: null },
    { title: 'an empty list', value: [] },
    { title: 'a list with a null', value: ['a', null] },
    { title: 'a list of lists', value: [['a'], ['b']] },
    { title: 'a list with an empty text', value: ['a', ''] },
    { title: 'a list with 1 MB of text', value: [megabyte] },
    { title: '10,001 texts', value: Array.from({ length: 10_001 }, () => 'a') },
    { title: 'a list with a NUL', value: ['a\0b'], unreadable: true },
  ],
  integer: [
    { title: 'null', value: null },
    { title: 'a negative number', value: -1 },
    { title: 'a million', value: 1_000_000 },
    { title: 'a number beyond 32 bits', value: 2 ** 31, unreadable: true },
    { title: 'a fraction', value: 1.5, unreadable: true },
  ],
  boolean: [
    { title: 'null', value: null },
    { title: 'a word that is neither true nor false', value: 'perhaps', unreadable: true },
  ],
  bigint: [
    { title: 'null', value: null },
    { title: 'a negative number', value: -1 },
    { title: 'a number beyond 64 bits', value: '9223372036854775808', unreadable: true },
  ],
  'outrider.endpoint_kind': kinds,
  'outrider.ingest_kind': kinds,
  'outrider.payload_kind': kinds,
  'outrider.delivery_status[]': [
    { title: 'null', value: null },
    { title: 'an empty list', value: [] },
    { title: 'a list with a null', value: ['sent', null] },
    { title: 'a list of lists', value: [['sent'], ['dead']] },
    { title: 'a kind that there is not', value: ['lost'], unreadable: true },
  ],
  'outrider.event_action[]': [
    { title: 'null', value: null },
    { title: 'an empty list', value: [] },
    { title: 'a list with a null', value: ['sent', null] },
    { title: 'a list of lists', value: [['sent'], ['retry_scheduled']] },
    { title: 'a kind that there is not', value: ['lost'], unreadable: true },
  ],
  'outrider.event_result': kinds,
  'outrider.event_type_enum': kinds,
  'outrider.aggregate_type_enum': kinds,
  'outrider.publish_order': kinds,
  interval: [
    { title: 'null', value: null },
    { title: 'a negative time', value: '-1 second' },
    { title: 'ten thousand years', value: '10000 years' },
    { title: 'a text that is no time', value: 'a while', unreadable: true },
  ],
  'timestamp with time zone': [
    { title: 'null', value: null },
    { title: 'infinity', value: 'infinity' },
    { title: 'minus infinity', value: '-infinity' },
    { title: 'the year 20000', value: '20000-01-01', far: true },
    { title: 'a time before Christ', value: '0044-03-15 BC', far: true },
    { title: 'a text that is no time', value: 'soon', unreadable: true },
    { title: 'a time beyond the calendar', value: '294277-01-01', unreadable: true },
  ],
  jsonb: [
    { title: 'null', value: null },
    { title: '1 MB of JSON', value: JSON.stringify(megabyte) },
    { title: 'half a JSON value', value: '{"text":', unreadable: true },
    { title: 'JSON with a NUL', value: '{"text": "\\u0000"}', unreadable: true },
    { title: 'JSON with half a surrogate pair', value: '{"text": "\\ud800"}', unreadable: true },
    { title: 'JSON 100,000 levels deep', value: '['.repeat(100_000), unreadable: true },
  ],
};

/** Null means something here: the time of the call, no raw answer, no endpoint, the cursor as it is … */
const mayBeNull = new Set([
  'claim_deliveries.p_lease',
  'mark_sent.p_sent_at',
  'mark_sent.p_raw_meta',
  'schedule_retry.p_next_retry_at',
  'enqueue_messages_and_deliveries.p_endpoint_id',
  'preview_post.p_endpoint_id',
  'list_posts.p_since',
  'list_posts.p_until',
  'ingest_pull_chunk.p_cursor_to',
  'ingest_pull_chunk.p_lease_token',
  'ingest_pull_chunk.p_held_item',
  'fail_pull.p_retry_after',
  'keep_media_blob.p_expires_at',
  'ingest_push.p_trace_id',
  'ingest_push.p_claimer',
  'pause_channels.p_until',
  'keep_payload.p_message_id',
  'keep_payload.p_run_id',
  'list_payloads.p_after',
  'list_channels.p_channel_ids',
  'list_channels.p_platform',
  'list_channels.p_auth_ref',
  'list_channels.p_rate_group',
  'list_channels.p_state',
  'show_activity.p_channel_ids',
  'show_activity.p_platform',
  'list_deliveries.p_statuses',
  'list_deliveries.p_channel_ids',
  'take_call.p_channel_slot',
  'take_call.p_group_slot',
  'list_deliveries.p_message_id',
  'list_deliveries.p_since',
  'list_deliveries.p_until',
  'list_deliveries.p_before',
  'list_events.p_delivery_id',
  'list_events.p_message_id',
  'list_events.p_channel_ids',
  'list_events.p_actions',
  'list_events.p_result',
  'list_events.p_since',
  'list_events.p_until',
  'requeue_deliveries.p_over',
  'rotate_auth.p_rate_group',
  'emit_event.p_actor',
  'emit_event.p_occurred_at',
  'emit_event.p_event_id',
  'list_outbox_events.p_event_type',
  'list_outbox_events.p_before',
  'replay_outbox_events.p_event_ids',
  'replay_outbox_events.p_event_type',
  'commit_notification.p_error',
  'commit_notification.p_retry_after',
  'list_alerts.p_state',
  'decide_bot_turn.p_state',
  'decide_bot_turn.p_document',
  'explain_post.p_channel_id',
  'list_bot_chats.p_handed_over',
  'list_bot_chats.p_chat_id',
  'list_bot_logs.p_provider',
  'list_bot_logs.p_chat_id',
  'list_bot_logs.p_actions',
  'list_bot_logs.p_since',
  'list_bot_logs.p_until',
  'unmatched_bot_texts.p_since',
]);

/** An empty list means none: what a query found nothing for, n8n passes on. */
const mayBeEmpty = new Set([
  'claim_pull_source.p_except',
  'taken_items.p_item_refs',
  'pause_channels.p_channel_ids',
  'resume_channels.p_channel_ids',
  'enable_channels.p_channel_ids',
  'disable_channels.p_channel_ids',
  'requeue_deliveries.p_delivery_ids',
  'rotate_auth.p_channel_ids',
  'list_events.p_channel_ids',
  'list_channels.p_channel_ids',
  'list_deliveries.p_channel_ids',
  'show_activity.p_channel_ids',
]);

const unreadableStates = ['22P02', '22P05', '22003', '22007', '22008', '22021', '54001'];

describe('the lawful calls', () => {
  it('are known for every public function and every argument', () => {
    const known = Object.entries(calls).map(([name, args]) => [name, Object.keys(args)] as const);
    expect(Object.fromEntries(known)).toEqual(
      Object.fromEntries(
        scene.functions.map((routine) => [routine.name, routine.args.map((arg) => arg.name)]),
      ),
    );
  });

  it.each(scene.functions)('of $name answer', async (routine) => {
    const { rows, error } = await tryCall(scene, routine, calls[routine.name] ?? {});
    expect(error).toBeUndefined();
    expect(rows.length).toBeGreaterThan(0);
  });

  it('have bad values for the type of every argument', () => {
    const types = scene.functions.flatMap((routine) => routine.args.map((arg) => arg.type));
    expect(types.filter((type) => !(type in badValues))).toEqual([]);
  });
});

/** These answer nonetheless: with what an empty list does not leave out, or with a document without channels. */
const answering = new Set(['claim_pull_source.p_except', 'show_activity.p_channel_ids']);

describe('an empty list', () => {
  it.each([...mayBeEmpty].map((each) => each.split('.')))(
    'of %s as %s means none',
    async (name = '', arg = '') => {
      const routine = scene.functions.find((each) => each.name === name);
      if (routine === undefined) throw new Error(`there is no ${name}`);
      const { rows, error } = await tryCall(scene, routine, { ...calls[name], [arg]: [] });
      expect(error).toBeUndefined();
      expect(rows).toHaveLength(answering.has(`${name}.${arg}`) ? 1 : 0);
    },
  );
});

describe.each(scene.functions.filter((each) => each.args.length > 0))('$name', (routine) => {
  const cases = routine.args.flatMap((arg) =>
    (badValues[arg.type] ?? [])
      .filter((bad) => bad.value !== null || !mayBeNull.has(`${routine.name}.${arg.name}`))
      .filter((bad) => bad.far !== true || !mayBeFar(routine.name, arg.name))
      .filter((bad) => !isEmpty(bad.value) || !mayBeEmpty.has(`${routine.name}.${arg.name}`))
      .map((bad) => ({ ...bad, arg: arg.name, plain: plainName(arg.name) })),
  );

  it.each(cases.filter((bad) => bad.unreadable !== true))(
    'refuses $title as $plain in words of its own',
    async ({ arg, plain, value }) => {
      const error = await refusalOf(scene, routine, { ...calls[routine.name], [arg]: value });
      const unknownWorkspace = plain === 'workspace_id' && value !== null;
      expect(error.sqlstate).toBe(unknownWorkspace ? 'OR002' : 'OR001');
      expect(error.message).toMatch(new RegExp(`^${routine.name}: `));
      expect(error.message).toContain(unknownWorkspace ? 'workspace' : plain);
      expect(error.message.length).toBeLessThan(400);
    },
  );

  it.each(cases.filter((bad) => bad.unreadable === true))(
    'refuses $title as $plain as invalid input',
    async ({ arg, value }) => {
      const error = await refusalOf(scene, routine, { ...calls[routine.name], [arg]: value });
      expect(unreadableStates).toContain(error.sqlstate);
      expect(error.code).toBe('invalid_input');
      expect(error.message.length).toBeLessThan(400);
    },
  );
});

describe('a text that names nothing', () => {
  const named = scene.functions.flatMap((routine) =>
    routine.args
      .filter((arg) => arg.type === 'text')
      .map((arg) => ({ routine, name: routine.name, arg: arg.name })),
  );

  it.each(named)(
    'is answered by $name as $arg, or refused in words of its own',
    async ({ routine, name, arg }) => {
      const { error } = await tryCall(scene, routine, { ...calls[name], [arg]: 'no such / name' });
      if (error === undefined) return;
      expect(error.sqlstate).toMatch(/^OR00/);
      expect(error.message).toMatch(new RegExp(`^${name}: `));
    },
  );
});

function mayBeFar(name: string, arg: string): boolean {
  const boundsList = arg === 'p_since' || (name.startsWith('list_') && arg === 'p_until');
  return boundsList || arg.endsWith('_slot');
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** As messages call it: without p_ and without its form (error_json carries an error). */
function plainName(arg: string): string {
  return arg.replace(/^p_/, '').replace(/_json$/, '');
}
