import { describe, expect, it } from 'vitest';
import { createMaxAdapter } from '../../src/adapters/max/adapter.ts';
import { createTransport } from '../../src/http/transport.ts';
import { channel, dialog, maxHarness, personId } from './max-harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

const stage = useStage(maxHarness);

const to = (targetId: string) => ({ channel: { ...stage().request().channel, targetId } });
const postsOf = (chat: number) =>
  stage()
    .simulator.chats()
    .find((each) => each.chat === String(chat))?.posts ?? [];
const bodyOf = (index: number) => stage().calls[index]?.request.json;

describe('a post to MAX', () => {
  it.each([
    ['a dialog by its chat id', String(dialog), dialog],
    ['a person by user id', `user:${personId}`, dialog],
    ['a channel', String(channel), channel],
  ])('reaches %s', async (_whom, targetId, chat) => {
    const ids = idsOf(await stage().send(to(targetId)));
    expect(postsOf(chat)).toMatchObject([{ id: ids[0], text: 'Пропал рыжий пёс' }]);
  });

  it.each([
    [`user:${personId}`, { user_id: String(personId) }],
    [String(dialog), { chat_id: String(dialog) }],
  ])('to %s is addressed by %j alone', async (targetId, query) => {
    await stage().send(to(targetId));
    expect(Object.fromEntries(stage().calls[0]?.request.query ?? [])).toEqual(query);
  });

  it.each(['', 'news', '@news', 'user:', 'user:-5', 'user:x', '5 ', '1e5', '-', 'chat:5'])(
    'to "%s" is refused, and nobody is called',
    async (targetId) => {
      expect(errorOf(await stage().send(to(targetId)))).toMatchObject({
        category: 'PERMANENT',
        scope: 'channel',
        code: 'chat_not_found',
      });
      expect(stage().calls).toEqual([]);
    },
  );

  it('to a person without a dialog closes the channel', async () => {
    expect(errorOf(await stage().send(to('user:5')))).toMatchObject({
      category: 'PERMANENT',
      scope: 'channel',
      code: 'chat_not_found',
    });
  });

  it('to a person who has stopped the bot closes the channel', async () => {
    stage().simulator.control('stop', { user_id: personId });
    expect(errorOf(await stage().send(to(`user:${personId}`)))).toMatchObject({
      category: 'PERMANENT',
      scope: 'channel',
      code: 'not_allowed',
      message: 'MAX says chat.denied, error.dialog.suspended',
    });
  });

  it.each([
    ['HTML', { text: 'x', format: 'html' }],
    ['Markdown', { text: 'x', format: 'markdown' }],
    ['None', { text: 'x' }],
  ] as const)('in the format %s says so: %j', async (format, body) => {
    await stage().send({ text: 'x', format });
    expect(bodyOf(0)).toEqual(body);
  });

  it('has no text and no format where it has no caption', async () => {
    const media = [new StoredBlob('one').asMedium()];
    const parts = [{ kind: 'media', media: [0], caption: false, buttons: false }] as const;
    await stage().send({ text: 'x', format: 'HTML', media, parts });
    expect(bodyOf(2)).toEqual({
      attachments: [{ type: 'image', payload: { token: expect.any(String) } }],
    });
  });

  it('has no text where there is none', async () => {
    const media = [new StoredBlob('one').asMedium()];
    const parts = [{ kind: 'media', media: [0], caption: true, buttons: false }] as const;
    await stage().send({ text: '', media, parts });
    expect(bodyOf(2)).not.toHaveProperty('text');
  });

  it('is known by its mid: the number beside it is larger than JavaScript can hold', async () => {
    const outcome = await stage().send();
    expect(idsOf(outcome)[0]).toMatch(/^mid\.[0-9a-f]{32}$/);
    expect(JSON.stringify(outcome)).not.toContain('seq');
  });

  it('is one message with a keyboard of links', async () => {
    const buttons = [[{ text: 'Сайт', url: 'https://example.org/' }]];
    await stage().send({ buttons });
    expect(bodyOf(0)).toMatchObject({
      attachments: [
        {
          type: 'inline_keyboard',
          payload: { buttons: [[{ type: 'link', text: 'Сайт', url: 'https://example.org/' }]] },
        },
      ],
    });
  });

  it('that MAX denies by its flag alone has failed', async () => {
    stage().faults.add({ kind: 'success_false', method: 'POST /messages', times: 1 });
    expect(errorOf(await stage().send())).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'refused',
    });
  });

  it('goes to an address that ends in a slash as well', async () => {
    await stage().send();
    const host = stage().calls[0]?.request.headers['host'];
    const transport = createTransport();
    const adapter = createMaxAdapter({ baseUrl: `http://${host}/`, transport });
    const outcome = await adapter.send(stage().request(), {
      signal: new AbortController().signal,
      holds: () => true,
      onPart: async () => undefined,
      beforeCall: async () => undefined,
      onMoved: async () => undefined,
    });
    expect(outcome.ok).toBe(true);
    expect(stage().shown()).toHaveLength(2);
    await transport.close();
  });
});
