import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FormPart, multipart } from '../../src/http/multipart.ts';
import { createTransport, type Reply } from '../../src/http/transport.ts';
import { file, startFormReader } from '../support/http/form-reader.ts';
import { answer, call, startRawServer } from '../support/http/raw-server.ts';

const transport = createTransport();
afterAll(() => transport.close());

const upload = (url: string, parts: readonly FormPart[], changes = {}): Promise<Reply> =>
  transport.send(call(url, { body: { multipart: parts }, ...changes }));

describe('a form with files', () => {
  it('arrives as it was given, in its order', async () => {
    await using reader = await startFormReader();
    const reply = await upload(reader.url, [
      { name: 'chat_id', value: '-100' },
      file(['hello ', 'ёж'], { sizeBytes: 10 }),
      { name: 'caption', value: 'line\r\n--two' },
      file([], { name: 'empty', sizeBytes: 0 }),
      file(['end'], {
        name: 'last',
        filename: 'ёж "1"\r\n.txt',
        contentType: 'image/png',
        sizeBytes: 3,
      }),
    ]);
    expect(reply).toMatchObject({ kind: 'answered', body: 'ok' });
    expect(reader.forms[0]?.parts).toEqual([
      { name: 'chat_id', content: '-100' },
      { name: 'file', filename: 'note.txt', type: 'text/plain', content: 'hello ёж' },
      { name: 'caption', content: 'line\r\n--two' },
      { name: 'empty', filename: 'note.txt', type: 'text/plain', content: '' },
      { name: 'last', filename: 'ёж %221%22%0D%0A.txt', type: 'image/png', content: 'end' },
    ]);
    expect(reader.forms[0]?.headers).toHaveProperty('content-length');
  });

  it('says no length when that of a file is not known', async () => {
    await using reader = await startFormReader();
    const reply = await upload(reader.url, [file(['a', 'b'])]);
    expect(reply).toMatchObject({ kind: 'answered' });
    expect(reader.forms[0]?.parts).toMatchObject([{ content: 'ab' }]);
    expect(reader.forms[0]?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
    expect(reader.forms[0]?.headers).not.toHaveProperty('content-length');
  });

  it('may be without files, or without anything', async () => {
    await using reader = await startFormReader();
    await upload(reader.url, [{ name: 'a', value: '' }]);
    await upload(reader.url, []);
    expect(reader.forms.map(({ parts }) => parts)).toEqual([[{ name: 'a', content: '' }], []]);
  });

  it.each(['text/plain\r\nX-Evil: 1', '', 'text', 'a/b; \r\n'])(
    'takes no media type that is none: %j',
    async (contentType) => {
      await using reader = await startFormReader();
      await upload(reader.url, [file(['a'], { contentType })]);
      expect(reader.forms[0]?.parts).toMatchObject([
        { type: 'application/octet-stream', content: 'a' },
      ]);
    },
  );

  it('is not held in memory: 200 MB take less than 150 MB', async () => {
    const sizeBytes = 200 * 1024 * 1024;
    let taken = 0;
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        taken += chunk.byteLength;
      });
      request.on('end', () => response.end());
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    // Of this thread: what its neighbours take meanwhile is in the size of the process.
    const held = (): number => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = held();
    let highest = before;
    async function* source() {
      for (let sent = 0; sent < sizeBytes; sent += 1024 * 1024) {
        highest = Math.max(highest, held());
        yield Buffer.alloc(1024 * 1024, 97);
      }
    }
    const reply = await upload(url, [file([], { sizeBytes, open: async () => source() })], {
      timeoutMs: 60_000,
    });
    expect(reply).toMatchObject({ kind: 'answered', status: 200 });
    expect(taken).toBeGreaterThan(sizeBytes);
    expect((highest - before) / 1024 / 1024).toBeLessThan(150);
  }, 60_000);

  it('is read no faster than the server takes it', async () => {
    const stop = new AbortController();
    let read = 0;
    async function* source() {
      for (;;) {
        read += 1;
        yield Buffer.alloc(1024 * 1024);
      }
    }
    await using wire = await startRawServer(() => undefined, { paused: true });
    const reply = upload(wire.url, [file([], { open: async () => source() })], {
      signal: stop.signal,
    });
    let settled = -1;
    while (read === 0 || read !== settled) {
      settled = read;
      for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    }
    expect(read).toBeLessThan(50);
    stop.abort();
    expect(await reply).toMatchObject({ kind: 'unknown', code: 'aborted' });
  });

  it('is answered even when the server does not read it to its end', async () => {
    const released = Promise.withResolvers<void>();
    await using wire = await startRawServer(({ socket }) => {
      socket.once('data', () => socket.write(answer(413, 'too big')));
    });
    async function* source() {
      try {
        for (;;) yield Buffer.alloc(1024);
      } finally {
        released.resolve();
      }
    }
    expect(await upload(wire.url, [file([], { open: async () => source() })])).toMatchObject({
      kind: 'answered',
      status: 413,
      body: 'too big',
    });
    await released.promise;
  });
});

describe('a form that is not read to its end', () => {
  it('closes the file that was opened ahead', async () => {
    let closed = 0;
    async function* source() {
      try {
        yield Buffer.from('a');
      } finally {
        closed += 1;
      }
    }
    const { signal } = new AbortController();
    const form = multipart([{ name: 'a', value: 'b' }, file([], { open: async () => source() })]);
    const reading = form.bytes(signal);
    await reading.next();
    expect(closed).toBe(0);
    await reading.return();
    expect(closed).toBe(1);
  });
});

describe('a connection that is reset', () => {
  it('before anything was read is an unknown outcome once bytes were written', async () => {
    let reset = () => {};
    await using wire = await startRawServer(
      ({ socket }) => {
        reset = () => socket.resetAndDestroy();
      },
      { paused: true },
    );
    async function* source() {
      for (let count = 0; ; count += 1) {
        if (count === 20) reset();
        yield Buffer.alloc(1024);
        await new Promise(setImmediate);
      }
    }
    const reply = await upload(wire.url, [file([], { open: async () => source() })]);
    expect(reply).toMatchObject({
      kind: 'unknown',
      code: expect.stringMatching(/ECONNRESET|EPIPE/),
    });
  });
});
