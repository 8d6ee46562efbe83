import { describe, expect, it } from 'vitest';
import { channel, dialog, group, maxHarness, personId } from './max-harness.ts';
import { held, unheardOn } from './max-unheard.ts';
import { deliveryIdAt, errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

const stage = useStage(maxHarness);
const { to, sendUnheard, again } = unheardOn(stage);

const minute = 60_000;
const postsOf = (chat: number) =>
  stage()
    .simulator.chats()
    .find((each) => each.chat === String(chat))?.posts ?? [];
const methods = () => stage().calls.map((call) => call.method);
const write = (text: string) =>
  stage().simulator.control('write', { chat_id: group, user_id: personId, text });

describe('a text whose outcome is unknown', () => {
  it.each([
    ['None', ' Цена:\n*1.5* <b> & [x](y) '],
    [
      'HTML',
      '<h1>Пёс</h1> стоит 1.5&nbsp;₽ &lt;<a href="https://example.org/1">тут</a>&gt; <u>🐕</u>',
    ],
    [
      'Markdown',
      '# Пёс\n> стоит 1\\.5 ₽ **и** [т_у_т](https://example.org/(1)) `код` ```js\nx=1\n```',
    ],
    ['Markdown', '\\*\\*\\*'],
  ] as const)('is found in the chat, without its markup: %s', async (format, text) => {
    await sendUnheard({ text, format });
    const [shown] = stage().shown();
    expect(idsOf(await again({ text, format }))).toEqual(shown?.ids);
    expect(stage().shown()).toHaveLength(1);
    expect(methods().filter((method) => method === 'POST /messages')).toHaveLength(1);
  });

  it('is found in a channel, whose posts name no sender', async () => {
    const request = to(String(channel));
    await sendUnheard(request);
    expect(idsOf(await again(request))).toEqual([postsOf(channel)[0]?.id]);
    expect(methods()).not.toContain('GET /me');
  });

  it('is found in a dialog', async () => {
    const request = to(String(dialog));
    await sendUnheard(request);
    expect(idsOf(await again(request))).toEqual([postsOf(dialog)[0]?.id]);
    expect(postsOf(dialog)).toHaveLength(1);
  });

  it('is found behind many messages of others', async () => {
    await sendUnheard();
    for (let n = 0; n < 95; n += 1) {
      stage().clock.advance(1);
      write(`number ${n}`);
    }
    expect(idsOf(await again())).toEqual(stage().shown()[0]?.ids);
    expect(stage().shown()).toHaveLength(96);
  });

  it('is sent when it is not there', async () => {
    write('Нашёлся рыжий пёс');
    idsOf(await again());
    expect(stage().texts()).toEqual(['Нашёлся рыжий пёс', 'Пропал рыжий пёс']);
  });

  it.each([
    ['1.5 ₽', '15 ₽'],
    ['в 10:30', 'в 103:0'],
    ['да', 'да!'],
  ])('is not taken for another one: "%s" and "%s"', async (text, other) => {
    idsOf(await stage().send({ text: other }));
    idsOf(await again({ text }));
    expect(stage().texts()).toEqual([other, text]);
  });

  it('is not taken for what a person wrote', async () => {
    write('Пропал рыжий пёс');
    idsOf(await again());
    expect(stage().shown()).toHaveLength(2);
  });

  it('is not taken for what another bot wrote', async () => {
    const token = 'f9LHodD0cOJ-another_bot-of-the-chat_4notherBot';
    stage().simulator.control('bots', { token, user_id: 7, first_name: 'Another' });
    stage().simulator.control('membership', { chat_id: group, bot: token, user_id: personId });
    idsOf(await stage().send({ token }));
    idsOf(await again());
    expect(stage().shown()).toHaveLength(2);
  });

  it('is not taken for the same text with media', async () => {
    idsOf(await stage().send({ media: [new StoredBlob('one').asMedium()] }));
    idsOf(await again());
    expect(stage().shown()).toHaveLength(2);
  });

  it.each(['image', 'audio'] as const)('is not taken for a text alone: with %s', async (type) => {
    idsOf(await stage().send());
    const media = [{ type, source: { blob: new StoredBlob('one') } }];
    idsOf(await again({ media }));
    expect(stage().shown()).toHaveLength(2);
  });

  it('is not taken for the same text with media of another kind', async () => {
    idsOf(await stage().send({ media: [new StoredBlob('one').asMedium()] }));
    const media = [{ type: 'audio', source: { blob: new StoredBlob('two') } }] as const;
    idsOf(await again({ media }));
    expect(stage().shown()).toHaveLength(2);
  });

  it('is not taken for a post that is older than the delivery', async () => {
    idsOf(await stage().send());
    stage().clock.advance(3 * minute);
    idsOf(await again());
    expect(stage().shown()).toHaveLength(2);
  });

  it('is found although the clock of MAX goes a little wrong', async () => {
    await sendUnheard();
    const late = deliveryIdAt(stage().clock.now() + minute);
    expect(idsOf(await again({ deliveryId: late }))).toEqual(stage().shown()[0]?.ids);
  });

  it('is found hours later, and after a day no more', async () => {
    const { deliveryId } = stage().request();
    await sendUnheard({ deliveryId });
    stage().clock.advance(23 * 60 * minute);
    expect(idsOf(await again({ deliveryId }))).toEqual(stage().shown()[0]?.ids);
    stage().clock.advance(2 * 60 * minute);
    idsOf(await again({ deliveryId }));
    expect(stage().shown()).toHaveLength(2);
  });

  it('is found by the first of two that are alike', async () => {
    await sendUnheard();
    const [first] = stage().shown();
    stage().clock.advance(1000);
    idsOf(await stage().send());
    expect(idsOf(await again({ deliveryId: deliveryIdAt(stage().clock.now()) }))).toEqual(
      first?.ids,
    );
  });

  it('is held when the chat has had too many messages to see', async () => {
    for (let n = 0; n < 650; n += 1) {
      write(`number ${n}`);
      stage().clock.advance(1);
    }
    const error = errorOf(await again({ deliveryId: 'of another make' }));
    expect(error).toMatchObject(held);
    expect(methods()).not.toContain('POST /messages');
    const settings = { on_unknown: 'retry' };
    idsOf(await again({ ...to(String(group), settings), deliveryId: 'of another make' }));
    expect(stage().texts().at(-1)).toBe('Пропал рыжий пёс');
  });
});

describe('a chat that cannot be read', () => {
  const person = `user:${personId}`;

  it('is sent to again, unless the channel holds such posts', async () => {
    await sendUnheard(to(person));
    expect(errorOf(await again(to(person, { on_unknown: 'hold' })))).toMatchObject(held);
    expect(postsOf(dialog)).toHaveLength(1);
    idsOf(await again(to(person)));
    expect(postsOf(dialog)).toHaveLength(2);
  });

  it('of a person is found by what has arrived of the post', async () => {
    const request = {
      ...to(person),
      media: [new StoredBlob('one').asMedium()],
      parts: [
        { kind: 'text', buttons: false },
        { kind: 'media', media: [0], caption: false, buttons: false },
      ],
    } as const;
    stage().faults.add({
      kind: 'drop',
      stored: true,
      method: 'POST /messages',
      after: 1,
      times: 1,
    });
    const { partsDone } = await stage().send(request);
    const done = new Map(partsDone.map((part) => [part.item, part.providerMessageId]));
    expect(idsOf(await again({ ...request, partsDone: done }))).toHaveLength(2);
    expect(postsOf(dialog)).toHaveLength(2);
  });

  it.each(['retry', 'hold'])('because MAX denies it: %s', async (policy) => {
    await sendUnheard();
    stage().faults.add({ kind: 'kicked', method: 'GET /messages', times: 1 });
    const outcome = await again(to(String(group), { on_unknown: policy }));
    expect(outcome.ok).toBe(policy === 'retry');
    expect(stage().shown()).toHaveLength(policy === 'retry' ? 2 : 1);
  });

  it.each([
    ['GET /messages', 'server_error', { category: 'TRANSIENT', code: 'read_failed' }],
    ['GET /messages', 'truncated_json', { category: 'TRANSIENT', code: 'read_failed' }],
    ['GET /messages', 'rate_limited', { category: 'TRANSIENT', scope: 'platform' }],
    ['GET /messages', 'revoked', { category: 'TRANSIENT', code: 'credential_refused' }],
    ['GET /me', 'server_error', { category: 'TRANSIENT', code: 'read_failed' }],
  ] as const)('at present (%s: %s) gets nothing', async (method, kind, meaning) => {
    await sendUnheard();
    stage().faults.add({ kind, method, times: 1 });
    expect(errorOf(await again())).toMatchObject(meaning);
    expect(stage().shown()).toHaveLength(1);
  });
});
