import { Api, InputFile } from 'grammy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  otherToken,
  png,
  startTelegram,
  type TelegramSandbox,
  token,
  user,
  words,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

/** Sends one file as multipart under the name of the parameter. */
async function upload(method: string, field: string, bytes: Uint8Array, filename: string) {
  const form = new FormData();
  form.set('chat_id', String(user));
  form.set(field, new Blob([Buffer.from(bytes)]), filename);
  const url = `${sandbox.url}/bot${token}/${method}`;
  const answer = await fetch(url, { method: 'POST', body: form });
  const json: unknown = await answer.json();
  return words(Object.assign({ ok: false }, json));
}

const sendByName = (method: string, field: string, value: string) =>
  sandbox.words(method, { chat_id: user, [field]: value });

describe('a file', () => {
  it.each(['photo', 'video', 'document', 'animation', 'audio', 'voice'])(
    'is missing from the request: %s',
    async (kind) => {
      const method = `send${kind}`;
      const missing = `400 Bad Request: there is no ${kind} in the request`;
      expect(await sandbox.words(method, { chat_id: user })).toBe(missing);
      expect(await sendByName(method, kind, 'attach://nothing')).toBe(missing);
    },
  );

  it('comes back in the shape of its kind', async () => {
    const url = 'https://x.io/a';
    const video = await sandbox.call('sendVideo', {
      chat_id: user,
      video: url,
      width: 64,
      height: 48,
      duration: 9,
    });
    expect(video.result).toMatchObject({
      video: { width: 64, height: 48, duration: 9, thumbnail: { width: 320 } },
    });
    const animation = await sandbox.call('sendAnimation', {
      chat_id: user,
      animation: `${url}.gif`,
    });
    expect(animation.result).toMatchObject({
      animation: { mime_type: 'image/gif', file_name: 'a.gif' },
      document: { mime_type: 'image/gif' },
    });
    const audio = { chat_id: user, audio: `${url}.mp3`, title: 'T', performer: 'P', duration: 3 };
    expect((await sandbox.call('sendAudio', audio)).result).toMatchObject({
      audio: { title: 'T', performer: 'P', duration: 3, mime_type: 'audio/mpeg' },
    });
    const voice = await sandbox.call('sendVoice', { chat_id: user, voice: `${url}.ogg` });
    expect(voice.result).toMatchObject({ voice: { duration: 0, mime_type: 'audio/ogg' } });
    const photo = {
      chat_id: user,
      photo: url,
      has_spoiler: true,
      show_caption_above_media: true,
      caption: 'c',
    };
    expect((await sandbox.call('sendPhoto', photo)).result).toMatchObject({
      has_media_spoiler: true,
      show_caption_above_media: true,
      caption: 'c',
    });
  });

  it('is uploaded under another name with attach://', async () => {
    const form = new FormData();
    form.set('chat_id', String(user));
    form.set('document', 'attach://elsewhere');
    form.set('decoy', new Blob(['y']), 'y.txt');
    form.set('elsewhere', new Blob(['x']), 'x.txt');
    const answer = await fetch(`${sandbox.url}/bot${token}/sendDocument`, {
      method: 'POST',
      body: form,
    });
    expect(await answer.json()).toMatchObject({ result: { document: { file_name: 'x.txt' } } });
  });
});

describe('an upload', () => {
  it.each<[string, string, string, Uint8Array, string]>([
    ['an empty file', 'document', 'a.txt', new Uint8Array(), 'file must be non-empty'],
    [
      'a photo with the name of something else',
      'photo',
      'a.pdf',
      png(1, 1),
      'photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png, .tif or .bmp',
    ],
    ['a photo that is none', 'photo', 'a.png', Buffer.from('text'), 'IMAGE_PROCESS_FAILED'],
    ['a photo that is too wide', 'photo', 'a.png', png(9000, 1001), 'PHOTO_INVALID_DIMENSIONS'],
    ['a photo that is too thin', 'photo', 'a.png', png(2001, 100), 'PHOTO_INVALID_DIMENSIONS'],
    [
      'a photo of more than 10 MB',
      'photo',
      'a.png',
      png(10, 10, 10 * 1024 * 1024 + 1),
      'file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes',
    ],
  ])('of %s is refused', async (_what, kind, filename, bytes, description) => {
    const answer = await upload(`send${kind}`, kind, bytes, filename);
    expect(answer).toBe(`400 Bad Request: ${description}`);
    expect(sandbox.posts(user)).toEqual([]);
  });

  it.each<[string, Buffer, number, number]>([
    ['png', png(300, 200), 300, 200],
    ['gif', Buffer.from('GIF89a\x2c\x01\xc8\x00', 'latin1'), 300, 200],
    [
      'jpeg',
      Buffer.from(
        'ffd8ffe000104a46494600010100000100010000ffc00011080 0c8012c03'.replace(' ', ''),
        'hex',
      ),
      300,
      200,
    ],
    [
      'bmp',
      Buffer.concat([
        Buffer.from('BM'),
        Buffer.alloc(16),
        Buffer.from([44, 1, 0, 0, 200, 0, 0, 0]),
      ]),
      300,
      200,
    ],
  ])('of a %s has the size of the picture', async (extension, bytes, width, height) => {
    const sent = await sandbox.api.sendPhoto(user, new InputFile(bytes, `a.${extension}`));
    expect(sent.photo.at(-1)).toMatchObject({ width, height });
  });

  it('has only sizes that are smaller than the picture, and the picture', async () => {
    const sent = await sandbox.api.sendPhoto(user, new InputFile(png(320, 200), 'a.png'));
    expect(sent.photo.map(({ width }) => width)).toEqual([90, 320]);
    expect(new Set(sent.photo.map(({ file_id }) => file_id)).size).toBe(2);
    expect(new Set(sent.photo.map(({ file_unique_id }) => file_unique_id)).size).toBe(2);
  });
});

describe('an address', () => {
  it.each([
    ['photo', 'https://gone.invalid/a.jpg', 'failed to get HTTP URL content'],
    ['photo', 'https://x.io/page.html', 'wrong type of the web page content'],
    ['document', 'https://x.io/a.docx', 'wrong type of the web page content'],
    ['photo', 'http://intranet/a.jpg', 'wrong HTTP URL specified'],
    ['photo', 'ftp://x.io/a.jpg', 'invalid file HTTP URL specified: Unsupported URL protocol'],
    ['photo', 'http:///a.jpg', 'invalid file HTTP URL specified: URL host is empty'],
    [
      'photo',
      'http://x.io:port/a.jpg',
      'invalid file HTTP URL specified: Wrong port number specified in the URL',
    ],
  ])('of a %s that leads nowhere is refused: %s', async (kind, url, description) => {
    expect(await sendByName(`send${kind}`, kind, url)).toBe(`400 Bad Request: ${description}`);
  });

  it('can be made to fail as the core fails', async () => {
    const url = 'https://x.io/a.jpg';
    sandbox.order('addresses', { url, refuse: 'File generation failed' });
    expect(await sendByName('sendPhoto', 'photo', url)).toBe(
      "400 Bad Request: can't upload file by URL",
    );
    sandbox.order('addresses', { url, refuse: null });
    expect(await sendByName('sendPhoto', 'photo', url)).toMatchObject({
      message_id: expect.any(Number),
    });
  });
});

describe('a file id', () => {
  async function documentOf(as: string) {
    const api = new Api(as, { apiRoot: sandbox.url });
    const sent = await api.sendDocument(user, 'https://x.io/a.pdf');
    return sent.document;
  }

  it('sends the file again, for the bot that it belongs to', async () => {
    const mine = await documentOf(token);
    const theirs = await documentOf(otherToken);
    expect(theirs.file_id).not.toBe(mine.file_id);
    expect(theirs.file_unique_id).toBe(mine.file_unique_id);
    expect(await sendByName('sendDocument', 'document', mine.file_id)).toMatchObject({
      document: mine,
    });
    expect(await sendByName('sendDocument', 'document', theirs.file_id)).toBe(
      '400 Bad Request: wrong file identifier/HTTP URL specified',
    );
    expect(await sandbox.words('getFile', { file_id: theirs.file_id })).toBe(
      '400 Bad Request: wrong file_id or the file is temporarily unavailable',
    );
    expect(await sendByName('sendDocument', 'document', mine.file_unique_id)).toMatch(
      /^400 Bad Request: wrong remote file identifier specified: /,
    );
  });

  it('does not turn a document into a photo', async () => {
    const { file_id: id } = await documentOf(token);
    expect(await sendByName('sendPhoto', 'photo', id)).toBe(
      "400 Bad Request: can't use file of type Document as Photo",
    );
    expect(await sendByName('sendVideo', 'video', id)).toMatchObject({ video: {} });
  });

  it.each([
    ['AAAAAAA', "can't unserialize it. Wrong last symbol"],
    ['AA', "can't unserialize it"],
    ['AA==', "can't unserialize it"],
    ['A===', 'Wrong padding length'],
    ['AAAAA', 'Wrong string length'],
    ['AAAAA=', 'Wrong padding length'],
    ['AAA AAAA', 'Wrong character in the string'],
  ])('that never was one is refused: %s', async (id, detail) => {
    expect(await sendByName('sendPhoto', 'photo', id)).toBe(
      `400 Bad Request: wrong remote file identifier specified: ${detail}`,
    );
    expect(await sandbox.words('getFile', { file_id: id })).toBe(
      '400 Bad Request: invalid file_id',
    );
  });

  it('of a large file cannot be downloaded', async () => {
    const large = new InputFile(Buffer.alloc(20 * 1024 * 1024 + 1), 'a.bin');
    const { document } = await sandbox.api.sendDocument(user, large);
    expect(document.file_size).toBe(20_971_521);
    const { file_id } = document;
    expect(await sandbox.words('getFile', { file_id })).toBe('400 Bad Request: file is too big');
    expect(await sandbox.words('getFile')).toBe('400 Bad Request: file_id not specified');
  });

  it('is downloaded at the size of the file, by its bot alone', async () => {
    const bytes = Buffer.concat([Buffer.from('start'), Buffer.alloc(5000, 1)]);
    const sent = await sandbox.api.sendDocument(user, new InputFile(bytes, 'a.bin'));
    const { file_path: path } = await sandbox.api.getFile(sent.document.file_id);
    const answer = await fetch(`${sandbox.url}/file/bot${token}/${path}`);
    const body = Buffer.from(await answer.arrayBuffer());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(body.length).toBe(5005);
    expect(body.subarray(0, 1024)).toEqual(bytes.subarray(0, 1024));
    const stranger = await fetch(`${sandbox.url}/file/bot${otherToken}/${path}`);
    expect(stranger.status).toBe(404);
  });
});
