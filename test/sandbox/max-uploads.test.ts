import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
const xml = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<retval>1</retval>';

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function open(type: string) {
  const { json, text } = await max.call('POST', `/uploads?type=${type}`);
  return { url: textAt(json, 'url'), token: textAt(json, 'token'), text };
}

/** By plain HTTP and without Authorization. */
async function put(url: string, bytes: Uint8Array, { field = 'data', filename = 'a.bin' } = {}) {
  const form = new FormData();
  form.append(field, new Blob([new Uint8Array(bytes)]), filename);
  const answer = await fetch(url, { method: 'POST', body: form });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get('content-type'), text };
}

async function putPiece(url: string, bytes: Uint8Array, range: string) {
  const headers = {
    'content-type': 'application/x-binary; charset=x-user-defined',
    'content-disposition': 'attachment; filename="film.mp4"',
    'content-range': range,
  };
  const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) });
  return { status: answer.status, text: await answer.text() };
}

function refusal(status: number, code: string, message: string) {
  return { status, json: { code, message } };
}

const notReady = refusal(
  400,
  'attachment.not.ready',
  'Key: errors.process.attachment.file.not.processed',
);

describe('the official client uploads', () => {
  it('an image, and the chat shows the same bytes', async () => {
    const attachment = await max.bot.api.uploadImage({ source: image('cat') });
    const attachments = [attachment.toJson()];
    await max.bot.api.sendMessageToChat(groupId, 'A cat', { attachments });
    expect(max.posts(groupId)[0]?.media).toMatchObject([
      { type: 'image', sha256: sha256(image('cat')), size: image('cat').length },
    ]);
  });

  it('a video, whose token it had before', async () => {
    const attachment = await max.bot.api.uploadVideo({ source: video('film') });
    const attachments = [attachment.toJson()];
    const { body } = await max.bot.api.sendMessageToChat(groupId, '', { attachments });
    expect(body.attachments).toMatchObject([
      {
        type: 'video',
        payload: { token: attachment.token, url: expect.any(String) },
        thumbnail: { url: expect.any(String) },
        width: expect.any(Number),
        height: expect.any(Number),
        duration: expect.any(Number),
      },
    ]);
    expect(max.posts(groupId)[0]?.media).toMatchObject([{ sha256: sha256(video('film')) }]);
  });

  it('audio and a file, each with its token', async () => {
    for (const attachment of [
      await max.bot.api.uploadAudio({ source: Buffer.from('la la la') }),
      await max.bot.api.uploadFile({ source: Buffer.from('%PDF-1.7') }),
    ]) {
      const sent = { attachments: [attachment.toJson()] };
      await max.bot.api.sendMessageToChat(groupId, '', sent);
    }
    const media = max.posts(groupId).flatMap((post) => post.media);
    expect(media).toMatchObject([
      { type: 'audio', sha256: sha256(Buffer.from('la la la')) },
      { type: 'file', sha256: sha256(Buffer.from('%PDF-1.7')) },
    ]);
  });

  it('a video from a stream, in pieces', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'max-'));
    const film = video('x'.repeat(200_000));
    try {
      await writeFile(join(folder, 'film.mp4'), film);
      const source = createReadStream(join(folder, 'film.mp4'));
      const attachment = await max.bot.api.uploadVideo({ source });
      const attachments = [attachment.toJson()];
      await max.bot.api.sendMessageToChat(groupId, '', { attachments });
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(max.posts(groupId)[0]?.media).toEqual([
      { type: 'video', filename: 'film.mp4', size: film.length, sha256: sha256(film) },
    ]);
  });
});

describe('POST /uploads', () => {
  it.each([
    ['image', false],
    ['file', false],
    ['video', true],
    ['audio', true],
  ])('for %s gives an address, and a token: %s', async (type, withToken) => {
    const opened = await open(type);
    expect(opened.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    expect(opened.token !== 'undefined').toBe(withToken);
    expect(opened.text.includes('"token"')).toBe(withToken);
  });

  it.each(['photo', 'gif', ''])('knows no type "%s"', async (type) => {
    expect(await max.call('POST', `/uploads?type=${type}`)).toMatchObject({
      status: 400,
      json: { code: 'proto.payload' },
    });
  });
});

describe('the upload host', () => {
  it('answers an image with a map of photos', async () => {
    const { url } = await open('image');
    const { text } = await put(url, image());
    expect(text).toMatch(/^\{"photos":\{"[^"]+":\{"token":"[^"]+"\}\}\}$/);
  });

  it('answers a file with its id and token', async () => {
    const { url } = await open('file');
    const { text } = await put(url, Buffer.from('text'));
    expect(JSON.parse(text)).toEqual({ fileId: expect.any(Number), token: expect.any(String) });
  });

  it.each(['video', 'audio'])('answers %s with XML, which is no JSON', async (type) => {
    const { url } = await open(type);
    expect(await put(url, video())).toEqual({
      status: 200,
      type: 'text/xml; charset=utf-8',
      text: xml,
    });
  });

  it('takes one file for one address', async () => {
    const { url } = await open('file');
    expect(await put(url, Buffer.from('one'))).toMatchObject({ status: 200 });
    const second = await put(url, Buffer.from('two'));
    expect(second.status).toBe(400);
    expect(second.text).toContain('"code":"upload.error"');
  });

  it('takes the file from the field "data" alone', async () => {
    const { url } = await open('file');
    expect(await put(url, Buffer.from('one'), { field: 'file' })).toMatchObject({ status: 400 });
    expect(await put(url, Buffer.from('one'))).toMatchObject({ status: 200 });
  });

  it('refuses a forbidden extension', async () => {
    const { url } = await open('file');
    const { status, text } = await put(url, Buffer.from('MZ'), { filename: 'virus.exe' });
    expect([status, JSON.parse(text)]).toEqual([
      415,
      { code: 'upload.error', message: 'File extension is forbidden' },
    ]);
  });

  it('refuses what is no image, with HTTP 200', async () => {
    const { url } = await open('image');
    const { status, text } = await put(url, Buffer.from('GIT'));
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { error_code: expect.anything(), error_data: expect.anything() },
    ]);
  });

  it('knows no other addresses', async () => {
    expect(await put(`${max.server.url}/upload.do?id=nobody`, image())).toMatchObject({
      status: 404,
    });
    const opened = await open('video');
    expect(await put(`${max.server.url}/upload.do?id=${opened.token}`, video())).toMatchObject({
      status: 404,
    });
  });

  it('tells how far an upload in pieces has come', async () => {
    const { url, token: film } = await open('video');
    const bytes = video('0123456789');
    const total = bytes.length;
    const progress = async () => {
      const answer = await fetch(url);
      return [answer.status, await answer.text()];
    };
    expect(await progress()).toEqual([204, '']);
    const first = await putPiece(url, bytes.subarray(0, 15), `bytes 0-14/${total}`);
    expect(first).toEqual({ status: 201, text: `0-14/${total}` });
    expect(await progress()).toEqual([200, '0-14']);
    expect(await putPiece(url, bytes.subarray(15), `bytes 15-20/${total}`)).toMatchObject({
      status: 400,
    });
    const last = await putPiece(url, bytes.subarray(15), `bytes 15-${total - 1}/${total}`);
    expect(last).toEqual({ status: 200, text: `0-${total - 1}/${total}` });
    const attachments = [{ type: 'video', payload: { token: film } }];
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject({ status: 200 });
    expect(max.posts(groupId)[0]?.media).toMatchObject([{ sha256: sha256(bytes) }]);
  });
});

describe('a token', () => {
  it('is not ready before its video has come', async () => {
    const { url, token: film } = await open('video');
    const attachments = [{ type: 'video', payload: { token: film } }];
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject(notReady);
    await put(url, video());
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject({ status: 200 });
  });

  it('is not the name in the upload address', async () => {
    const { url } = await open('video');
    await put(url, video());
    const payload = { token: new URL(url).searchParams.get('id') };
    expect(
      await max.call('POST', toGroup, { attachments: [{ type: 'video', payload }] }),
    ).toMatchObject(refusal(400, 'proto.payload', 'Invalid token. Check payload.'));
  });

  it('is not ready for as many sends as is set, and creates no message until then', async () => {
    max.control('limits', { not_ready_sends: 2 });
    const attachments = [(await max.bot.api.uploadFile({ source: Buffer.from('x') })).toJson()];
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject(notReady);
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject(notReady);
    expect(max.posts(groupId)).toEqual([]);
    expect(await max.call('POST', toGroup, { attachments })).toMatchObject({ status: 200 });
    expect(max.posts(groupId)).toHaveLength(1);
  });

  it('can be sent again and again', async () => {
    const attachments = [(await max.bot.api.uploadImage({ source: image() })).toJson()];
    await max.bot.api.sendMessageToChat(groupId, 'one', { attachments });
    await max.bot.api.sendMessageToChat(groupId, 'two', { attachments });
    expect(max.posts(groupId).map((post) => post.media.length)).toEqual([1, 1]);
  });

  it.each([
    ['PNG', image()],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic')],
    ['text', Buffer.from('text')],
  ])('of %s, which is no video, stays refused', async (_name, source) => {
    const attachments = [(await max.bot.api.uploadVideo({ source })).toJson()];
    const message = 'Key: errors.process.attachment.video.not.supported';
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await max.call('POST', toGroup, { attachments })).toMatchObject(
        refusal(400, 'proto.payload', message),
      );
    }
  });

  it('of a video leads to its addresses', async () => {
    const { token: film } = await max.bot.api.uploadVideo({ source: video() });
    const { status, json } = await max.call('GET', `/videos/${film ?? ''}`);
    expect([status, json]).toEqual([
      200,
      {
        token: film,
        urls: expect.objectContaining({ mp4_720: expect.any(String) }),
        thumbnail: expect.objectContaining({ photo_id: expect.any(Number) }),
        width: expect.any(Number),
        height: expect.any(Number),
        duration: expect.any(Number),
      },
    ]);
    expect(await max.call('GET', '/videos/nobody')).toMatchObject({ status: 404 });
  });
});
