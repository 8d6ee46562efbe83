import { describe, expect, it } from 'vitest';
import type { Blob, MediaType, SendMedia } from '../../src/adapters/adapter.ts';
import { createMaxAdapter } from '../../src/adapters/max/adapter.ts';
import type { Transport } from '../../src/http/transport.ts';
import { image, video } from '../support/sandbox/max-sandbox.ts';
import { maxHarness } from './max-harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

const stage = useStage(maxHarness);

const medium = (type: MediaType, blob: Blob): SendMedia => ({ type, source: { blob } });
const alone = { caption: true, buttons: false } as const;

/** The same bytes under another content type; how many they are is not known. */
function asType(blob: StoredBlob, contentType: string): Blob {
  const { blobRef, filename } = blob;
  return {
    blobRef,
    filename,
    contentType,
    open: () => blob.open(),
    keep: (fileId) => blob.keep(fileId),
    forget: () => blob.forget(),
  };
}

const methods = () => stage().calls.map((call) => call.method);

describe('an upload to MAX', () => {
  it.each([
    ['image', image('one')],
    ['video', video('one')],
    ['audio', Buffer.from('ID3 one')],
    ['file', Buffer.from('any bytes')],
  ] as const)('of %s is asked for, sent and named', async (type, bytes) => {
    const blob = new StoredBlob('one', bytes);
    idsOf(await stage().send({ text: 'Вот', media: [medium(type, blob)] }));
    expect(stage().shown()).toMatchObject([
      { text: 'Вот', media: [{ type, sha256: blob.sha256, filename: 'one.png' }] },
    ]);
    expect(methods()).toEqual(['POST /uploads', 'POST /upload.do', 'POST /messages']);
    expect(stage().calls[0]?.request.query.get('type')).toBe(type);
    expect(blob.kept).toHaveLength(1);
  });

  it('is referred to by its token for a day', async () => {
    const blob = new StoredBlob('one');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(blob.keptUntil?.getTime()).toBe(stage().clock.now() + 24 * 3_600_000);
  });

  it('keeps the token of the bot from the upload host', async () => {
    idsOf(await stage().send({ media: [new StoredBlob('one').asMedium()] }));
    const [asked, uploaded] = stage().calls;
    expect(asked?.request.headers['authorization']).toBe(maxHarness.token);
    expect(uploaded?.request.headers).not.toHaveProperty('authorization');
    expect(uploaded?.request.files).toMatchObject([{ field: 'data', contentType: 'image/png' }]);
  });

  it('puts pictures and videos into one message, in their order', async () => {
    const blobs = [image('one'), video('two'), image('three')].map(
      (bytes, index) => new StoredBlob(`number-${index}`, bytes),
    );
    const types = ['image', 'video', 'image'] as const;
    const media = blobs.map((blob, index) => medium(types[index] ?? 'image', blob));
    expect(idsOf(await stage().send({ media }))).toHaveLength(1);
    expect(stage().shown()).toMatchObject([
      { media: blobs.map(({ sha256 }, index) => ({ type: types[index], sha256 })) },
    ]);
  });

  it.each([
    ['image/gif', image('gif'), 'image'],
    ['video/mp4', video('gif'), 'video'],
  ])('takes an animation of %s for what its bytes are', async (contentType, bytes, type) => {
    const blob = asType(new StoredBlob('one', bytes), contentType);
    idsOf(await stage().send({ media: [medium('animation', blob)] }));
    expect(stage().shown()).toMatchObject([{ media: [{ type }] }]);
  });

  it.each([
    ['of 12,800,000 bytes', 12_800_000, 101_000],
    ['of a size that nobody knows', undefined, 2_049_000],
  ])('%s gets the time that it needs', async (_which, sizeBytes, expected) => {
    const timeouts: number[] = [];
    const transport: Transport = {
      async send({ timeoutMs, url }) {
        expect(url).toMatch(/^https:\/\/platform-api2\.max\.ru\//);
        timeouts.push(timeoutMs);
        const answer = { url: `${url}/there`, token: 'T' };
        return { kind: 'answered', status: 200, headers: {}, body: JSON.stringify(answer) };
      },
      close: async () => undefined,
    };
    const adapter = createMaxAdapter({ transport, timeoutMs: 1000 });
    const blob = { ...asType(new StoredBlob('one'), 'text/plain'), sizeBytes };
    await adapter.send(stage().request({ media: [medium('file', blob)] }), {
      signal: new AbortController().signal,
      holds: () => true,
      onPart: async () => undefined,
      beforeCall: async () => undefined,
      onMoved: async () => undefined,
    });
    expect(timeouts).toEqual([1000, expected, 1000]);
  });

  it('happens once for a blob that stands in a post twice', async () => {
    const blob = new StoredBlob('one');
    const parts = [
      { kind: 'media', media: [0, 1], ...alone },
      { kind: 'media', media: [2], ...alone },
    ] as const;
    const media = [0, 1, 2].map(() => medium('image', asType(blob, 'image/png')));
    idsOf(await stage().send({ media, parts }));
    expect(blob.opened).toBe(1);
    expect(stage().shown()).toMatchObject([{ media: [{}, {}] }, { media: [{}] }]);
  });
});

describe('an attachment that is not ready', () => {
  it('is tried again later, without a second upload', async () => {
    stage().simulator.control('limits', { not_ready_sends: 1 });
    const blob = new StoredBlob('one', video('one'));
    const media = [medium('video', blob)];
    const outcome = await stage().send({ media });
    expect(errorOf(outcome)).toMatchObject({
      category: 'TRANSIENT',
      scope: 'delivery',
      code: 'media_not_ready',
    });
    expect(stage().shown()).toEqual([]);
    expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
    idsOf(await stage().send({ media }));
    expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
    expect(methods().slice(3)).toEqual(['POST /messages']);
    expect(stage().shown()).toMatchObject([{ media: [{ sha256: blob.sha256 }] }]);
  });
});

describe('a refusal', () => {
  const tooLong = 'x'.repeat(4001);
  const refused = { category: 'PERMANENT', scope: 'delivery', code: 'validation_failed' };

  it('of a message with fresh uploads is final', async () => {
    const blob = new StoredBlob('one');
    const outcome = await stage().send({ text: tooLong, media: [blob.asMedium()] });
    expect(errorOf(outcome)).toMatchObject(refused);
    expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
  });

  it('of a message with kept tokens is final after one more upload', async () => {
    const blob = new StoredBlob('one');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    const outcome = await stage().send({ text: tooLong, media: [blob.asMedium()] });
    expect(errorOf(outcome)).toMatchObject(refused);
    expect(blob).toMatchObject({ opened: 2, forgotten: 1 });
    expect(methods().filter((method) => method === 'POST /messages')).toHaveLength(3);
  });

  it('of a message without media is final', async () => {
    expect(errorOf(await stage().send({ text: tooLong }))).toMatchObject(refused);
    expect(methods()).toEqual(['POST /messages']);
  });

  it('of the chat says nothing of the tokens', async () => {
    const blob = new StoredBlob('one');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    stage().faults.add({ kind: 'kicked', times: 1 });
    expect(errorOf(await stage().send({ media: [blob.asMedium()] })).scope).toBe('channel');
    expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
  });

  it('of a video that MAX cannot play is final', async () => {
    const blob = new StoredBlob('one', Buffer.from('no video'));
    const media = [medium('video', blob)];
    for (const attempt of [1, 2]) {
      expect(errorOf(await stage().send({ media })), `attempt ${attempt}`).toMatchObject({
        category: 'PERMANENT',
        code: 'validation_failed',
      });
    }
    expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
  });

  it('of a picture as a file is mended by an upload as a file', async () => {
    const blob = new StoredBlob('one');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    idsOf(await stage().send({ media: [medium('file', blob)] }));
    expect(blob).toMatchObject({ opened: 2, forgotten: 1 });
    expect(stage().shown()).toMatchObject([
      { media: [{ type: 'image' }] },
      { media: [{ type: 'file', sha256: blob.sha256 }] },
    ]);
  });

  it('goes on although the token cannot be forgotten', async () => {
    const blob = new StoredBlob('one');
    blob.fileId = maxHarness.abilities.unknownFileId;
    blob.forget = () => Promise.reject(new Error('the database is away'));
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(blob.opened).toBe(1);
  });

  it.each([
    ['image', 'one', 'no picture', '4: IMAGE_INVALID_FORMAT'],
    ['file', 'one', '', 'File is empty'],
  ] as const)('of the upload host is final: %s', async (type, seed, bytes, words) => {
    const blob = new StoredBlob(seed, Buffer.from(bytes));
    const error = errorOf(await stage().send({ media: [medium(type, blob)] }));
    expect(error).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'validation_failed',
    });
    expect(error.message).toContain(words);
    expect(methods()).toEqual(['POST /uploads', 'POST /upload.do']);
    expect(blob.kept).toEqual([]);
  });

  it('of one upload leaves the tokens of its neighbours alone', async () => {
    const good = new StoredBlob('one');
    idsOf(await stage().send({ media: [good.asMedium()] }));
    const bad = new StoredBlob('two', Buffer.from('no picture'));
    const outcome = await stage().send({ media: [good.asMedium(), bad.asMedium()] });
    expect(errorOf(outcome).code).toBe('validation_failed');
    expect(good).toMatchObject({ opened: 1, forgotten: 0 });
  });

  it.each(['video', 'audio', 'file'] as const)('meets %s by its address', async (type) => {
    const media = [{ type, source: { url: 'https://example.org/dog' } }];
    expect(errorOf(await stage().send({ media }))).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'validation_failed',
    });
    expect(stage().calls).toEqual([]);
  });

  it.each([
    ['revoked', { category: 'TRANSIENT', scope: 'platform', code: 'credential_refused' }],
    ['rate_limited', { category: 'TRANSIENT', scope: 'platform', retryAfterMs: 1000 }],
    ['server_error', { category: 'TRANSIENT', scope: 'delivery', code: 'upload_failed' }],
    ['truncated_json', { category: 'TRANSIENT', scope: 'delivery', code: 'upload_failed' }],
  ] as const)('of the address of an upload: %s', async (kind, meaning) => {
    stage().faults.add({ kind, method: 'POST /uploads', times: 1 });
    const outcome = await stage().send({ media: [new StoredBlob('one').asMedium()] });
    expect(errorOf(outcome)).toMatchObject(meaning);
    expect(stage().calls).toHaveLength(1);
  });

  it('meets a part that names media which are not there', async () => {
    const parts = [{ kind: 'media', media: [1], ...alone }] as const;
    const outcome = await stage().send({ media: [new StoredBlob('one').asMedium()], parts });
    expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', code: 'unreadable_delivery' });
    expect(stage().calls).toEqual([]);
  });
});
