import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import type { FilePart, FormPart } from '../../src/http/multipart.ts';
import { createTransport, type Reply } from '../../src/http/transport.ts';
import { file, startFormReader } from '../support/http/form-reader.ts';
import { call, startRawServer } from '../support/http/raw-server.ts';

const transport = createTransport();
afterAll(() => transport.close());

const upload = (url: string, parts: readonly FormPart[], changes = {}): Promise<Reply> =>
  transport.send(call(url, { body: { multipart: parts }, ...changes }));

describe('a file that cannot be read', () => {
  const gone = file([], { open: async () => undefined });
  const away = file([], { open: () => Promise.reject(new Error('/srv/media/secret is away')) });
  async function* breaking(after: number) {
    for (let count = 0; count < after; count += 1) {
      yield Buffer.from('a');
      await new Promise(setImmediate);
    }
    throw new Error('/srv/media/secret broke');
  }

  function* endless(text: string) {
    for (;;) yield text;
  }

  it('stops the request before its first byte when it is the first', async () => {
    await using reader = await startFormReader();
    expect(await upload(reader.url, [{ name: 'a', value: 'b' }, gone])).toEqual({
      kind: 'not_sent',
      code: 'source_missing',
      reason: 'the file is not there',
    });
    expect(reader.forms).toEqual([]);
  });

  it('stops the request before its first byte when it is the first and cannot be opened', async () => {
    await using reader = await startFormReader();
    expect(await upload(reader.url, [{ name: 'a', value: 'b' }, away])).toEqual({
      kind: 'not_sent',
      code: 'source_failed',
      reason: 'the file cannot be opened at present',
    });
    expect(reader.forms).toEqual([]);
  });

  it('stops the request before its first byte when not even the first bytes can be read', async () => {
    await using reader = await startFormReader();
    expect(await upload(reader.url, [file([], { open: async () => breaking(0) })])).toEqual({
      kind: 'not_sent',
      code: 'source_failed',
      reason: 'the file could not be read to its end',
    });
  });

  it.each<[string, FilePart[], string]>([
    ['breaks off', [file([], { open: async () => breaking(3) })], 'source_failed'],
    ['is gone and not the first', [file(['a']), file(['b']), gone], 'source_missing'],
    ['cannot be opened and is not the first', [file(['a']), away], 'source_failed'],
    ['is shorter than was said', [file(['abc', 'def'], { sizeBytes: 7 })], 'source_failed'],
    ['is longer than was said', [file(['abc', 'def'], { sizeBytes: 5 })], 'source_failed'],
    ['is far longer than was said', [file(endless('abc'), { sizeBytes: 5 })], 'source_failed'],
  ])('leaves an unknown outcome when it %s', async (_what, files, code) => {
    await using reader = await startFormReader();
    expect(await upload(reader.url, files)).toMatchObject({ kind: 'unknown', code });
    expect(reader.forms).toEqual([]);
  });

  it.each<[string, (stream: PassThrough) => Promise<Readable>]>([
    ['while it is read', (stream) => Promise.resolve(stream)],
    [
      'while it is opened',
      async (stream) => {
        await once(stream, 'close-me');
        return stream;
      },
    ],
  ])('is let go of when the send is stopped %s', async (_when, open) => {
    const stop = new AbortController();
    const hanging = new PassThrough();
    const released = once(hanging, 'close');
    await using wire = await startRawServer(() => setImmediate(() => stop.abort()));
    const reply = await upload(wire.url, [file([], { open: () => open(hanging) })], {
      signal: stop.signal,
    });
    expect(reply).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    hanging.emit('close-me');
    await released;
    expect(hanging.destroyed).toBe(true);
  });
});
