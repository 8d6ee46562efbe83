import { describe, expect, it } from 'vitest';
import { refusalOf } from '../support/database/tried-calls.ts';
import { lawfulCalls, sentOutcome, useTwoWorkspaces } from '../support/database/two-workspaces.ts';

// JSON that PostgreSQL can read and that is not what the function asked for.

const scene = await useTwoWorkspaces();
const calls = lawfulCalls(scene.north);

type Cases = Readonly<Record<string, unknown>>;

const megabyte = 'x'.repeat(2 ** 20);
const part = { item: 0, provider_message_id: '41' };
const sent = sentOutcome(scene.north);
const { provider_message_id: _, ...held } = sent;
const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' };
const failed = { ...held, ok: false, error };

const notAList: Cases = {
  'JSON null': null,
  'a number': 7,
  'a text': 'seven',
  'a boolean': true,
  'an object': { 0: sent },
  'an empty list': [],
  'a list of numbers': [7],
  'a list of texts': ['seven'],
  'a list of nulls': [null],
  'a list of lists': [[sent]],
};

const badParts: Cases = {
  ...notAList,
  'a part without an item': [{ provider_message_id: '41' }],
  'a part without an id': [{ item: 0 }],
  'a part whose item is a text': [{ ...part, item: '0' }],
  'a part whose item is negative': [{ ...part, item: -1 }],
  'a part whose item is a fraction': [{ ...part, item: 0.5 }],
  'a part whose item is a thousand': [{ ...part, item: 1000 }],
  'a part whose item is beyond any number': [{ ...part, item: 1e300 }],
  'a part whose id is a number': [{ ...part, provider_message_id: 41 }],
  'a part whose id is empty': [{ ...part, provider_message_id: '' }],
  'a part whose id is 1 MB of text': [{ ...part, provider_message_id: megabyte }],
  'one bad part after a good one': [part, {}],
  '101 parts': Array.from({ length: 101 }, (_each, item) => ({ ...part, item })),
};

const badErrors: Cases = {
  'JSON null': null,
  'a number': 500,
  'a text': 'TRANSIENT',
  'a list': [error],
  'an empty object': {},
  'an error without a category': { ...error, category: undefined },
  'an error of an unknown category': { ...error, category: 'WEATHER' },
  'an error whose category is a list': { ...error, category: ['TRANSIENT'] },
  'an error without a scope': { ...error, scope: undefined },
  'an error of an unknown scope': { ...error, scope: 'galaxy' },
  'an error without a code': { ...error, code: undefined },
  'an error whose code is a number': { ...error, code: 500 },
  'an error whose code is an object': { ...error, code: {} },
  'an error that asks for a negative wait': { ...error, retry_after_ms: -1 },
  'an error that asks for a wait in words': { ...error, retry_after_ms: 'a while' },
  'an error that asks for a wait as a text': { ...error, retry_after_ms: '1000' },
  'an error that asks to wait for ever': { ...error, retry_after_ms: 1e300 },
  'an error whose code is 1 MB of text': { ...error, code: megabyte },
  'an error whose message is 1 MB of text': { ...error, message: megabyte },
  'an error whose raw answer is 1 MB of text': { ...error, raw: { body: megabyte } },
};

const badOutcomes: Cases = {
  ...notAList,
  '10,001 outcomes': Array.from({ length: 10_001 }, () => sent),
  'an empty object': [{}],
  'an outcome without a delivery': [{ ...sent, delivery_id: undefined }],
  'an outcome whose delivery is no id': [{ ...sent, delivery_id: 'first' }],
  'an outcome whose delivery is a number': [{ ...sent, delivery_id: 1 }],
  'an outcome whose delivery is 1 MB of text': [{ ...sent, delivery_id: megabyte }],
  'an outcome whose delivery is an object': [{ ...sent, delivery_id: {} }],
  'an outcome without a token': [{ ...sent, claim_token: undefined }],
  'an outcome whose token is no id': [{ ...sent, claim_token: 'first' }],
  'an outcome without ok': [{ ...sent, ok: undefined }],
  'an outcome whose ok is null': [{ ...sent, ok: null }],
  'an outcome whose ok is a word': [{ ...sent, ok: 'perhaps' }],
  'an outcome whose ok is the text "true"': [{ ...sent, ok: 'true' }],
  'an outcome whose ok is a number': [{ ...sent, ok: 1 }],
  'an outcome whose ok is an object': [{ ...sent, ok: {} }],
  'a failure whose ok is the text "false"': [{ ...failed, ok: 'false' }],
  'a failure whose ok is 0': [{ ...failed, ok: 0 }],
  'a success without a provider id': [{ ...held, ok: true }],
  'a success whose provider id is empty': [{ ...sent, provider_message_id: '' }],
  'a success whose provider id is an object': [{ ...sent, provider_message_id: { id: 42 } }],
  'a success whose provider id is a list': [{ ...sent, provider_message_id: ['42'] }],
  'a success whose provider id is a boolean': [{ ...sent, provider_message_id: true }],
  'a success whose provider id is 1 MB of text': [{ ...sent, provider_message_id: megabyte }],
  'a success at no time': [{ ...sent, sent_at: 'soon' }],
  'a success at a number': [{ ...sent, sent_at: 1772445600 }],
  'a success at infinity': [{ ...sent, sent_at: 'infinity' }],
  'a success at minus infinity': [{ ...sent, sent_at: '-infinity' }],
  'a success in the year 20000': [{ ...sent, sent_at: '20000-01-01T00:00:00Z' }],
  'a success with 1 MB of meta': [{ ...sent, meta: { body: megabyte } }],
  'a failure without an error': [{ ...held, ok: false }],
  'a failure to be repeated at no time': [{ ...failed, next_retry_at: 'soon' }],
  'a failure to be repeated at infinity': [{ ...failed, next_retry_at: 'infinity' }],
  'a failure to be repeated in the year 20000': [
    { ...failed, next_retry_at: '20000-01-01T00:00:00Z' },
  ],
  'one bad outcome after a good one': [sent, { ...failed, error: {} }],
  ...eachIn('a success with parts: ', badParts, (parts) => [{ ...sent, parts }]),
  ...eachIn('a failure with parts: ', badParts, (parts) => [{ ...failed, parts }]),
  ...eachIn('a failure with ', badErrors, (bad) => [{ ...failed, error: bad }]),
};

const reply = {
  reply_id: scene.north.sending,
  claim_token: scene.north.claimToken,
  ok: true,
  provider_message_id: '42',
};

const said = { kind: 'message', text: 'Hello' };
const update = { ...said, chat_id: 'asking', provider_message_id: 'm2' };

/** What is said, in a form in which nobody says it. */
const badInputs: Cases = {
  'JSON null': null,
  'a number': 7,
  'a text': 'seven',
  'a list': [update],
  'an empty object': {},
  'something of an unknown kind': { ...update, kind: 'shout' },
  'a text that is a number': { ...update, text: 7 },
  'a payload that is a list': { ...update, payload: [] },
  'a sender that is a text': { ...update, sender: 'Ann' },
};

function repeated(times: number, value: unknown): unknown[] {
  return Array.from({ length: times }, () => value);
}

function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}

/** The bad values of every argument that is JSON. */
const badJson: Readonly<Record<string, Cases>> = {
  'commit_outcomes.p_outcomes': withoutAbsentParts(badOutcomes),
  'save_progress.p_parts': badParts,
  'schedule_retry.p_error_json': {
    ...badErrors,
    'an error that is permanent': { ...error, category: 'PERMANENT' },
  },
  'fail_permanent.p_error_json': {
    ...eachIn('', badErrors, permanent),
    'an error that is transient': error,
  },
  // What an error may not be stands with commit_outcomes.
  'commit_bot_replies.p_outcomes': {
    ...notAList,
    '10,001 outcomes': repeated(10_001, reply),
    'an empty object': [{}],
    'an outcome without an answer': [{ ...reply, reply_id: undefined }],
    'an outcome whose answer is no id': [{ ...reply, reply_id: 'first' }],
    'an outcome whose answer is 1 MB of text': [{ ...reply, reply_id: megabyte }],
    'an outcome without a token': [{ ...reply, claim_token: undefined }],
    'an outcome whose ok is a word': [{ ...reply, ok: 'perhaps' }],
    'a success whose provider id is empty': [{ ...reply, provider_message_id: '' }],
    'a success whose provider id is a number': [{ ...reply, provider_message_id: 42 }],
    'a failure without an error': [{ ...reply, ok: false }],
    ...eachIn('a failure with ', badErrors, (bad) => [{ ...reply, ok: false, error: bad }]),
    'one bad outcome after a good one': [reply, {}],
  },
  'take_bot_update.p_update': {
    ...badInputs,
    'an update without a chat': { ...update, chat_id: undefined },
    'an update whose chat is a number': { ...update, chat_id: 7 },
    'an update whose chat is 1 MB of text': { ...update, chat_id: megabyte },
    'an update without an id': { ...update, provider_message_id: undefined },
    'an update whose id is an object': { ...update, provider_message_id: {} },
    'an update whose button is 1 MB of text': { ...update, callback_id: megabyte },
    'an update at no time': { ...update, ts: 'soon' },
    'an update at a number': { ...update, ts: 1772445600 },
    'an update whose sender has 1 MB of name': { ...update, sender: { name: megabyte } },
  },
  'decide_bot_turn.p_input': badInputs,
  'decide_bot_turn.p_state': {
    'a number': 7,
    'a text': 'seven',
    'a list': [{}],
    'a boolean': true,
  },
  'decide_bot_turn.p_document': {
    'a number': 7,
    'a text': 'seven',
    'a list': [{}],
    'rules that are a list': { bot_rules: [] },
    'a rule that is a text': { bot_rules: { hello: 'hi' } },
    'a rule without an answer': { bot_rules: { hello: { pattern: { keywords: ['hi'] } } } },
  },
  'beat.p_facts': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{}],
    '1 MB of text': { store_refuses: megabyte },
  },
  // Any JSON will do as a provider's raw answer; what is too large is in bad-input.
  'mark_sent.p_raw_meta': {},
  // What else a post may not be stands with payload_fault.
  'enqueue_messages_and_deliveries.p_raw_payload': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ text: 'Lost' }],
    'an empty object': {},
    'a text that is a number': { text: 7 },
    'a field that posts do not have': { text: 'Lost', txt: 'Lost' },
    '1 MB of text': { text: megabyte },
    '10,000 tags': { text: 'Lost', tags: Array.from({ length: 10_000 }, (_each, n) => `t${n}`) },
    'a source 1,000 levels deep': { text: 'Lost', source: nested(1_000) },
    'a text 1,000 levels deep': { text: nested(1_000) },
  },
  // A post that cannot be taken in is no repeat: whoever takes it in says what is wrong with it.
  'drop_repeated_push.p_raw_payload': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ text: 'Lost' }],
  },
  // What is an object and no post is answered with the reason: see preview.
  'preview_post.p_raw_payload': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ text: 'Lost' }],
  },
  'enqueue_copied_post.p_raw_payload': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ text: 'Lost' }],
    'an empty object': {},
    'a text that is a number': { text: 7, source_ref: 'post-10' },
  },
  'enqueue_copied_post.p_received': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ text: 'Lost' }],
    'another source_ref': { text: 'Found: a red cat', source_ref: 'post-11' },
  },
  // What is an object and no post is answered, and recorded: see ingest-sql.
  'ingest_push.p_raw_payload': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ text: 'Lost' }],
  },
  // What else a document may not be stands with apply-mistakes.
  'apply_workspace.p_document': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ workspace: 'north' }],
    'an empty object': {},
    'a workspace that is a number': { workspace: 7 },
    'a workspace that is 1 MB of text': { workspace: megabyte },
    'a key that documents do not have': { workspace: 'north', [megabyte]: {} },
    'a section that is a list': { workspace: 'north', channels: [] },
    'a channel that is null': { workspace: 'north', channels: { news: null } },
    'a channel whose id is 1 MB of text': { workspace: 'north', channels: { [megabyte]: {} } },
    'a field that is 1 MB of text': { workspace: 'north', channels: { news: { tags: megabyte } } },
    'a field 1,000 levels deep': {
      workspace: 'north',
      channels: { news: { title: nested(1_000) } },
    },
  },
  'emit_event.p_data': {
    'JSON null': null,
    'a number': 7,
    'a text': 'seven',
    'a list': [{ storeId: '7' }],
    'more than 256 KiB': { text: 'x'.repeat(2 ** 18) },
  },
  'emit_event.p_actor': {
    'JSON null': null,
    'a text': 'ann',
    'a list': [{ type: 'user', id: '7' }],
    'a number': 7,
    'an actor with a name of 1 MB': { userId: '7', name: megabyte },
  },
  'mark_publish_failed.p_failures': {
    ...notAList,
    '10,001 failures': repeated(10_001, { event_id: scene.north.failedEvent, error: 'no' }),
    'an empty object': [{}],
    'a failure without an event': [{ error: 'no' }],
    'a failure whose event is no id': [{ event_id: 'first', error: 'no' }],
    'a failure whose event is a number': [{ event_id: 7, error: 'no' }],
    'a failure without an error': [{ event_id: scene.north.failedEvent }],
    'a failure whose error is empty': [{ event_id: scene.north.failedEvent, error: '' }],
    'a failure whose error is an object': [{ event_id: scene.north.failedEvent, error: {} }],
    'one bad failure after a good one': [
      { event_id: scene.north.failedEvent, error: 'no' },
      { event_id: scene.north.failedEvent, error: null },
    ],
  },
  'enqueue_batch.p_items': { ...notAList, '10,001 posts': repeated(10_001, { text: 'Lost' }) },
  'ingest_pull_chunk.p_items': {
    ...notAList,
    'an empty list': undefined,
    'an item without a ref': [{ payload: { text: 'Lost' } }],
    'an item whose ref is a number': [{ item_ref: 7, payload: { text: 'Lost' } }],
    'an item whose ref is 513 bytes': [{ item_ref: 'x'.repeat(513), payload: { text: 'Lost' } }],
    'an item whose payload is a text': [{ item_ref: '7', payload: 'Lost' }],
    'left-out media that are no list': [{ item_ref: '7', payload: {}, left_out: 'media[0]' }],
    'a left-out medium without a reason': [
      { item_ref: '7', payload: {}, left_out: [{ path: 'media[0].url' }] },
    ],
    '1,001 items': repeated(1_001, { item_ref: '7', payload: { text: 'Lost' } }),
  },
  'ingest_pull_chunk.p_cursor_to': {
    'a number': 7,
    'a text': 'seven',
    'a list': [7],
    'JSON null': null,
    'a cursor of 64 KiB and more': { last_seen_id: 'x'.repeat(2 ** 16) },
  },
};

describe('JSON of another shape', () => {
  const jsonArguments = scene.functions.flatMap((routine) =>
    routine.args
      .filter((arg) => arg.type === 'jsonb')
      .map((arg) => ({ routine, arg: arg.name, title: `${routine.name}.${arg.name}` })),
  );

  it('is tried for every argument that is JSON', () => {
    expect(jsonArguments.map((each) => each.title).toSorted()).toEqual(
      Object.keys(badJson).toSorted(),
    );
  });

  const cases = jsonArguments.flatMap((argument) =>
    Object.entries(badJson[argument.title] ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([what, value]) => ({ ...argument, what, value })),
  );

  it.each(cases)('is refused by $title: $what', async ({ routine, arg, value }) => {
    const args = { ...calls[routine.name], [arg]: JSON.stringify(value) };
    const refusal = await refusalOf(scene, routine, args);
    expect(refusal).toMatchObject({ code: 'invalid_input', sqlstate: 'OR001' });
    expect(refusal.message).toMatch(new RegExp(`^${routine.name}: `));
    // A line for each fault.
    const lines = refusal.message.split('\n').map((line) => line.length);
    expect(Math.max(...lines)).toBeLessThan(400);
    expect(lines.length).toBeLessThan(10);
  });
});

function eachIn(before: string, bad: Cases, into: (value: unknown) => unknown): Cases {
  return Object.fromEntries(
    Object.entries(bad).map(([title, value]) => [`${before}${title}`, into(value)]),
  );
}

/** Of a null where parts may be absent altogether: that is no fault. */
function withoutAbsentParts(cases: Cases): Cases {
  return Object.fromEntries(
    Object.entries(cases).filter(([title]) => !title.endsWith('with parts: JSON null')),
  );
}

function permanent(bad: unknown): unknown {
  const isTransient =
    typeof bad === 'object' && bad !== null && 'category' in bad && bad.category === 'TRANSIENT';
  return isTransient ? { ...bad, category: 'PERMANENT' } : bad;
}
