import { expect, it } from 'vitest';
import type { SandboxReply, SandboxRequest } from '../../sandbox/simulator.ts';
import { botId, maxHarness } from './max-harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';

/** What the chat shows the bot. */
let messages: readonly object[] = [];

const stage = useStage(maxHarness, {
  disguise: (simulator) => ({
    ...simulator,
    handle(request: SandboxRequest): SandboxReply | Promise<SandboxReply> {
      if (request.method !== 'GET' || request.path !== '/messages')
        return simulator.handle(request);
      return { status: 200, body: JSON.stringify({ messages }) };
    },
  }),
});

const text = 'Пропал рыжий пёс';
const mid = 'mid.found';

function message(changes: object = {}, body: object = {}) {
  const timestamp = stage().clock.now();
  return { sender: { user_id: botId }, timestamp, body: { mid, text, ...body }, ...changes };
}

const again = async () => idsOf(await stage().send({ outcomeUnknown: true }));

it('finds a message among what else a chat may hold', async () => {
  messages = [
    { timestamp: stage().clock.now(), body: null, link: { type: 'forward' } },
    { timestamp: stage().clock.now(), body: { mid: 'mid.empty', text: null } },
    message(
      { sender: null },
      { mid: 'mid.odd', text: '', attachments: [{ type: 'new', size: 'x' }] },
    ),
    message(),
  ];
  expect(await again()).toEqual([mid]);
  expect(stage().shown()).toEqual([]);
});

it.each([
  ['a preview of its link', [{ type: 'share', payload: { url: 'https://example.org/' } }]],
  ['a keyboard', [{ type: 'inline_keyboard', payload: { buttons: [[{ text: 'x' }]] } }]],
])('finds a message that has %s', async (_what, attachments) => {
  messages = [message({}, { attachments })];
  expect(await again()).toEqual([mid]);
});

it('does not take a reply or a forward for the post: nobody sends such', async () => {
  messages = [message({ link: { type: 'reply', message: {} } })];
  expect(await again()).not.toEqual([mid]);
  expect(stage().texts()).toEqual([text]);
});

it('ends although the chat shows the same messages for ever', async () => {
  messages = [message({}, { text: 'another', mid: 'mid.other' })];
  await again();
  expect(stage().calls.filter(({ method }) => method === 'GET /messages')).toHaveLength(2);
  expect(stage().texts()).toEqual([text]);
});

it('holds the post when MAX shows no more than the newest messages', async () => {
  messages = Array.from({ length: 30 }, (_, n) => message({}, { text: 'x', mid: `mid.${n}` }));
  const outcome = await stage().send({ outcomeUnknown: true });
  expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', code: 'outcome_unknown' });
  expect(stage().texts()).toEqual([]);
});
