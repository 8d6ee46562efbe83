import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  groupId,
  image,
  type MaxSandbox,
  startMax,
  textAt,
  video,
} from '../support/sandbox/max-sandbox.ts';

let max: MaxSandbox;

beforeEach(async () => {
  max = await startMax();
});

afterEach(() => max.close());

const toGroup = `/messages?chat_id=${groupId}`;

function refusal(message: unknown) {
  return { status: 400, json: { code: 'proto.payload', message } };
}

async function uploaded(type: 'image' | 'video' | 'audio' | 'file') {
  const source = type === 'video' ? video() : image();
  const { api } = max.bot;
  if (type === 'image') return (await api.uploadImage({ source })).toJson();
  if (type === 'video') return (await api.uploadVideo({ source })).toJson();
  if (type === 'audio') return (await api.uploadAudio({ source })).toJson();
  return (await api.uploadFile({ source })).toJson();
}

describe('attachments', () => {
  it('of one message may be several pictures and videos, under one mid', async () => {
    const attachments = [
      (await max.bot.api.uploadImage({ source: image('1') })).toJson(),
      (await max.bot.api.uploadVideo({ source: video('2') })).toJson(),
      (await max.bot.api.uploadImage({ source: image('3') })).toJson(),
      (await max.bot.api.uploadImage({ url: 'https://example.com/4.png' })).toJson(),
    ];
    const { body } = await max.bot.api.sendMessageToChat(groupId, 'Album', { attachments });
    expect(body.attachments?.map(({ type }) => type)).toEqual(['image', 'video', 'image', 'image']);
    expect(max.posts(groupId)).toHaveLength(1);
    expect(max.posts(groupId)[0]?.media).toMatchObject([
      { type: 'image', size: image('1').length },
      { type: 'video', size: video('2').length },
      { type: 'image' },
      { type: 'image', url: 'https://example.com/4.png' },
    ]);
  });

  it.each([
    ['file', 'file'],
    ['file', 'image'],
    ['video', 'file'],
    ['audio', 'file'],
  ] as const)('%s and %s do not go together: a file goes alone', async (first, second) => {
    const attachments = [await uploaded(first), await uploaded(second)];
    const answer = await max.call('POST', toGroup, { text: 'x', attachments });
    expect(answer).toMatchObject(refusal('Must be only one file attachment in message'));
  });

  it('do not take a file beside a place or a link', async () => {
    const file = await uploaded('file');
    const place = { type: 'location', latitude: 1, longitude: 2 };
    const share = { type: 'share', payload: { url: 'https://example.com' } };
    for (const other of [place, share]) {
      const answer = await max.call('POST', toGroup, { attachments: [file, other] });
      expect(answer).toMatchObject(refusal('Must be only one file attachment in message'));
    }
  });

  it('take audio only alone', async () => {
    const audio = await uploaded('audio');
    const mixed = { attachments: [audio, await uploaded('image')] };
    expect(await max.call('POST', toGroup, mixed)).toMatchObject(refusal(expect.any(String)));
    expect(await max.call('POST', toGroup, { attachments: [audio] })).toMatchObject({
      status: 200,
    });
  });

  it('take a file with a keyboard', async () => {
    const file = await uploaded('file');
    const buttons = [[{ type: 'message', text: 'Thanks' }]];
    const attachments = [file, { type: 'inline_keyboard', payload: { buttons } }];
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject({ status: 200 });
  });

  it.each([
    ['a token that MAX never gave out', { type: 'image', payload: { token: 'stolen' } }],
    ['two sources', { type: 'image', payload: { token: 'a', url: 'https://example.com/a.png' } }],
    ['an address that is none', { type: 'image', payload: { url: 'file:///etc/passwd' } }],
    ['a video without token', { type: 'video', payload: {} }],
  ])('are refused with %s', async (_name, attachment) => {
    expect(await max.call('POST', toGroup, { attachments: [attachment] })).toMatchObject(
      refusal(expect.any(String)),
    );
  });

  it('take a token only for its own type', async () => {
    const { payload } = await uploaded('file');
    const attachments = [{ type: 'video', payload }];
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject(
      refusal('Invalid token. Check payload.'),
    );
  });

  it('may be as many as is set', async () => {
    const one = { type: 'image', payload: { url: 'https://example.com/a.png' } };
    const send = (count: number) =>
      max.call('POST', toGroup, { attachments: Array.from({ length: count }, () => one) });
    expect(await send(10)).toMatchObject({ status: 200 });
    expect(await send(11)).toMatchObject(refusal(expect.any(String)));
    max.control('limits', { attachments_max: 11 });
    expect(await send(11)).toMatchObject({ status: 200 });
  });

  it('take the map of photos as the upload host gave it', async () => {
    const { photos } = await max.bot.api.upload.image({ source: image() }).then((answer) => {
      if (!('photos' in answer)) throw new Error('no photos');
      return answer;
    });
    const attachments = [{ type: 'image' as const, payload: { photos } }];
    const { body } = await max.bot.api.sendMessageToChat(groupId, '', { attachments });
    const [token] = Object.values(photos).map((photo) => photo.token);
    expect(body.attachments).toEqual([
      { type: 'image', payload: { photo_id: expect.any(Number), token, url: expect.any(String) } },
    ]);
  });

  it('of the other types come back as they were sent', async () => {
    const attachments = [
      { type: 'location', latitude: 55.75, longitude: 37.62 },
      { type: 'share', payload: { url: 'https://example.com' } },
      { type: 'contact', payload: { name: 'Ann', vcf_phone: '+7' } },
    ];
    const { text } = await max.call('POST', toGroup, { attachments });
    const { json } = await max.call('POST', toGroup, {
      attachments: [{ type: 'sticker', payload: { code: 'cat' } }],
    });
    expect(JSON.parse(text)).toMatchObject({ message: { body: { attachments } } });
    expect(json).toMatchObject({
      message: { body: { text: '', attachments: [{ type: 'sticker', payload: { code: 'cat' } }] } },
    });
  });
});

describe('an inline keyboard', () => {
  const callback = { type: 'callback', text: 'Yes', payload: 'yes' };
  const link = { type: 'link', text: 'Open', url: 'https://example.com' };
  const rows = (count: number, row: object[]) => Array.from({ length: count }, () => row);
  const row = (count: number, button: object) => Array.from({ length: count }, () => button);

  function send(buttons: object[][], text: string | undefined = 'Choose') {
    const attachments = [{ type: 'inline_keyboard', payload: { buttons } }];
    return max.call('POST', toGroup, { text, attachments });
  }

  it('comes back with an id and with the intent "default" on every button', async () => {
    const { json } = await send([[callback], [link]]);
    expect(json).toMatchObject({
      message: {
        body: {
          attachments: [
            {
              type: 'inline_keyboard',
              callback_id: expect.any(String),
              payload: {
                buttons: [[{ ...callback, intent: 'default' }], [{ ...link, intent: 'default' }]],
              },
            },
          ],
        },
      },
    });
    expect(max.posts(groupId)[0]?.buttons).toEqual([
      [{ text: 'Yes', payload: 'yes' }],
      [{ text: 'Open', url: 'https://example.com' }],
    ]);
  });

  it.each([
    ['30 rows of 7', rows(30, row(7, callback))],
    ['3 links in a row', [row(3, link)]],
    ['a text of 128', [[{ ...callback, text: 'x'.repeat(128) }]]],
    ['a payload of 1024', [[{ ...callback, payload: 'x'.repeat(1024) }]]],
  ])('may have %s', async (_name, buttons) => {
    expect(await send(buttons)).toMatchObject({ status: 200 });
  });

  it.each([
    ['31 rows', rows(31, [callback])],
    ['no row', []],
    ['an empty row', [[]]],
    ['8 in a row', [row(8, callback)]],
    ['4 in a row with a link', [[...row(3, callback), link]]],
    ['4 in a row with a contact', [[...row(3, callback), { type: 'request_contact', text: 'Me' }]]],
    ['no text', [[{ ...callback, text: '' }]]],
    ['a text of 129', [[{ ...callback, text: 'x'.repeat(129) }]]],
    ['a payload of 1025', [[{ ...callback, payload: 'x'.repeat(1025) }]]],
    ['a link to nowhere', [[{ ...link, url: 'nowhere' }]]],
    ['a link of 2049', [[{ ...link, url: `https://example.com/${'x'.repeat(2029)}` }]]],
    ['the old chat button', [[{ type: 'chat', text: 'Discuss', chat_title: 'x' }]]],
  ])('may not have %s', async (_name, buttons) => {
    expect(await send(buttons)).toMatchObject(refusal(expect.any(String)));
    expect(max.posts(groupId)).toEqual([]);
  });

  it('is no message by itself', async () => {
    expect(await send([[callback]], '')).toMatchObject(refusal('errors.required'));
  });

  it('changes its id with every message', async () => {
    const ids = [await send([[callback]]), await send([[callback]])].map(({ json }) =>
      textAt(json, 'message', 'body', 'attachments', '0', 'callback_id'),
    );
    expect(new Set(ids).size).toBe(2);
  });
});
