import { MaxError } from '@maxhub/max-bot-api';
import type { AttachmentRequest } from '@maxhub/max-bot-api/types';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSequence, midOf } from '../../sandbox/max/mid.ts';
import {
  channelId,
  dialogId,
  groupId,
  type MaxSandbox,
  start,
  startMax,
  textAt,
  userId,
} from '../support/sandbox/max-sandbox.ts';

let max: MaxSandbox;

beforeEach(async () => {
  max = await startMax();
});

afterEach(() => max.close());

describe('the official client on the sandbox', () => {
  it('learns who it is', async () => {
    expect(await max.bot.api.getMyInfo()).toMatchObject({
      user_id: 229_229_229,
      first_name: 'UniBot',
      username: 'unit_bot',
      is_bot: true,
      name: 'UniBot',
    });
  });

  it('sends into a group, and the post is seen there', async () => {
    const message = await max.bot.api.sendMessageToChat(groupId, 'Hello');
    expect(message).toMatchObject({
      recipient: { chat_id: groupId, chat_type: 'chat' },
      sender: { user_id: 229_229_229, is_bot: true },
      timestamp: start,
      body: { text: 'Hello' },
    });
    expect(message.recipient).not.toHaveProperty('user_id');
    expect(max.posts(groupId)).toMatchObject([
      { id: message.body.mid, text: 'Hello', sentAt: '2026-04-01T06:57:51.403Z' },
    ]);
  });

  it('reaches a person by user id and by the id of the dialog', async () => {
    const byUser = await max.bot.api.sendMessageToUser(userId, 'one');
    const byChat = await max.bot.api.sendMessageToChat(dialogId, 'two');
    const recipient = { chat_id: dialogId, chat_type: 'dialog', user_id: userId };
    expect([byUser.recipient, byChat.recipient]).toEqual([recipient, recipient]);
    expect(max.posts(dialogId).map((post) => post.text)).toEqual(['one', 'two']);
  });

  it('gets posts of a channel with a public link and without a sender', async () => {
    const message = await max.bot.api.sendMessageToChat(channelId, 'News');
    expect(message).not.toHaveProperty('sender');
    expect(message).toMatchObject({ stat: { views: 0 } });
    expect(message.url).toMatch(/^https:\/\/max\.ru\/news\/[\w-]{11}$/);
  });

  it('edits its message', async () => {
    const { body } = await max.bot.api.sendMessageToChat(groupId, 'befor');
    max.clock.advance(1000);
    expect(await max.bot.api.editMessage(body.mid, { text: 'before' })).toEqual({ success: true });
    expect(max.posts(groupId)).toMatchObject([
      { text: 'before', editedAt: '2026-04-01T06:57:52.403Z' },
    ]);
  });

  it('deletes its message, and nobody sees it any more', async () => {
    const { body } = await max.bot.api.sendMessageToChat(groupId, 'oops');
    expect(await max.bot.api.deleteMessage(body.mid)).toEqual({ success: true });
    expect(max.posts(groupId)).toEqual([]);
    await expect(max.bot.api.getMessage(body.mid)).rejects.toMatchObject({ status: 404 });
  });

  it('meets 429 with the third message within a second, and only in that chat', async () => {
    await max.bot.api.sendMessageToChat(groupId, '1');
    await max.bot.api.sendMessageToChat(groupId, '2');
    const third = max.bot.api.sendMessageToChat(groupId, '3');
    await expect(third).rejects.toBeInstanceOf(MaxError);
    await expect(third).rejects.toMatchObject({ status: 429, code: 'too.many.requests' });
    await max.bot.api.sendMessageToChat(channelId, 'elsewhere');
    max.clock.advance(999);
    await expect(max.bot.api.sendMessageToChat(groupId, '3')).rejects.toBeInstanceOf(MaxError);
    max.clock.advance(1);
    await max.bot.api.sendMessageToChat(groupId, '3');
    expect(max.posts(groupId).map((post) => post.text)).toEqual(['1', '2', '3']);
  });

  it('reads messages newest first, within a span of time and by their ids', async () => {
    const sent = [];
    for (const text of ['a', 'b', 'c']) {
      sent.push(await max.bot.api.sendMessageToChat(groupId, text));
      max.clock.advance(1000);
    }
    const texts = async (extra: object) => {
      const { messages } = await max.bot.api.getMessages(groupId, extra);
      return messages.map((message) => message.body.text);
    };
    expect(await texts({})).toEqual(['c', 'b', 'a']);
    expect(await texts({ count: 1 })).toEqual(['c']);
    expect(await texts({ from: start + 1000 })).toEqual(['b', 'a']);
    expect(await texts({ to: start + 1000 })).toEqual(['c', 'b']);
    const mids = sent.slice(0, 2).map((message) => message.body.mid);
    expect(await texts({ message_ids: mids })).toEqual(['b', 'a']);
    expect(await max.bot.api.getMessage(mids[0] ?? '')).toMatchObject({ body: { text: 'a' } });
  });

  it('replies to a message and forwards one', async () => {
    const asked = max.control('write', { user_id: userId, text: 'How much?' });
    const link = { type: 'reply', mid: String(asked['message_id']) } as const;
    const reply = await max.bot.api.sendMessageToChat(dialogId, 'Ten', { link });
    expect(reply.link).toMatchObject({ type: 'reply', message: { text: 'How much?' } });
    const forward = await max.bot.api.raw.messages.send({
      chat_id: groupId,
      link: { ...link, type: 'forward' },
    });
    expect(forward.message.link).toMatchObject({ type: 'forward', chat_id: dialogId });
    expect(max.posts(groupId)).toMatchObject([{ text: 'How much?' }]);
  });
});

describe('mid and seq', () => {
  it('has the chat and the seq in the mid, and the time in the seq, as a bare integer', async () => {
    const { text } = await max.call('POST', `/messages?chat_id=${groupId}`, { text: 'Hi' });
    const [, mid = '', seq = ''] = /"mid":"([^"]+)","seq":(\d+),/.exec(text) ?? [];
    expect(mid).toMatch(/^mid\.[0-9a-f]{32}$/);
    expect(BigInt.asIntN(64, BigInt(`0x${mid.slice(4, 20)}`))).toBe(BigInt(groupId));
    expect(BigInt(`0x${mid.slice(20)}`)).toBe(BigInt(seq));
    expect(BigInt(seq) >> 16n).toBe(BigInt(start));
    expect(BigInt(seq)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it("writes the mid of MAX's own fixture", () => {
    expect(midOf(182_403_740, 116_328_147_937_082_782n)).toBe(
      'mid.000000000adf429c019d47d58f2b3d9e',
    );
  });

  it('numbers messages upwards and none twice, also within one millisecond', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(steps, (waits) => {
        const next = createSequence();
        let now = start;
        const drawn = waits.map((wait) => {
          now += wait;
          return next(now);
        });
        expect(drawn.every((seq, index) => index === 0 || seq > (drawn[index - 1] ?? 0n))).toBe(
          true,
        );
      }),
    );
  });
});

describe('what an edit keeps', () => {
  const keyboard: AttachmentRequest = {
    type: 'inline_keyboard',
    payload: { buttons: [[{ type: 'link', text: 'Open', url: 'https://example.com' }]] },
  };
  const picture = { type: 'image', payload: { url: 'https://example.com/a.png' } } as const;

  it.each([
    ['absent', { text: 'new' }, 1, 1],
    ['null', { text: 'new', attachments: null }, 1, 1],
    ['empty', { text: 'new', attachments: [] }, 0, 0],
    ['a picture alone', { text: 'new', attachments: [picture] }, 1, 0],
  ])('with attachments %s', async (_name, body, media, rows) => {
    const extra = { attachments: [picture, keyboard] };
    const sent = await max.bot.api.sendMessageToChat(groupId, 'old', extra);
    await max.call('PUT', `/messages?message_id=${sent.body.mid}`, body);
    const [post] = max.posts(groupId);
    expect([post?.text, post?.media.length, post?.buttons.length]).toEqual(['new', media, rows]);
  });

  it('keeps the text when only attachments come', async () => {
    const sent = await max.bot.api.sendMessageToChat(groupId, 'text');
    await max.bot.api.editMessage(sent.body.mid, { attachments: [picture] });
    expect(max.posts(groupId)).toMatchObject([{ text: 'text', media: [{ type: 'image' }] }]);
  });
});

describe('a logical failure is told by the flag alone', () => {
  const week = 7 * 24 * 3600 * 1000;
  const failed = { status: 200, json: { success: false, message: expect.any(String) } };

  it('for messages that are not there', async () => {
    const path = `/messages?message_id=${midOf(groupId, 1n)}`;
    expect(await max.call('PUT', path, { text: 'x' })).toMatchObject(failed);
    expect(await max.call('DELETE', path)).toMatchObject(failed);
  });

  it('for editing what someone else wrote', async () => {
    const written = max.control('write', { user_id: userId, text: 'mine' });
    const path = `/messages?message_id=${String(written['message_id'])}`;
    expect(await max.call('PUT', path, { text: 'x' })).toMatchObject(failed);
    expect(max.posts(dialogId)).toMatchObject([{ text: 'mine' }]);
  });

  it('for editing in a dialog after a week, but not in a group or with a keyboard', async () => {
    const buttons = [[{ type: 'message', text: 'Yes' }]];
    const attachments = [{ type: 'inline_keyboard', payload: { buttons } }];
    const sent = [
      await max.call('POST', `/messages?chat_id=${dialogId}`, { text: 'a' }),
      await max.call('POST', `/messages?chat_id=${dialogId}`, { text: 'b', attachments }),
      await max.call('POST', `/messages?chat_id=${groupId}`, { text: 'c' }),
    ];
    const mids = sent.map(({ json }) => textAt(json, 'message', 'body', 'mid'));
    const edit = (mid: string) => max.call('PUT', `/messages?message_id=${mid}`, { text: 'new' });
    const flags = async () =>
      (await Promise.all(mids.map(edit))).map(({ json }) => textAt(json, 'success'));
    max.clock.advance(week - 1);
    expect(await flags()).toEqual(['true', 'true', 'true']);
    max.clock.advance(1);
    expect(await flags()).toEqual(['false', 'true', 'true']);
  });
});
