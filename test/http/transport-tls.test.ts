import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { Server } from 'node:net';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { createTransport, type Reply, type TransportOptions } from '../../src/http/transport.ts';
import { type Authority, createAuthority } from '../support/http/certificates.ts';
import { answer, answering, call, startRawServer } from '../support/http/raw-server.ts';

const known = createAuthority('known to all');
const extra = createAuthority('known to us');
const stranger = createAuthority('known to nobody');

const ordinary = getCACertificates('default');
setDefaultCACertificates([...ordinary, known.pem]);
afterAll(() => setDefaultCACertificates(ordinary));

/** Sends to a server whose certificate the authority has issued. */
async function sendTo(
  authority: Authority,
  options: TransportOptions = {},
  hostname?: string,
): Promise<{ reply: Reply; requests: number }> {
  let requests = 0;
  const server = createServer(authority.issue(hostname), (_request, response) => {
    requests += 1;
    response.end('ok');
  });
  const transport = createTransport(options);
  try {
    const url = `https://127.0.0.1:${await portOf(server)}`;
    return { reply: await transport.send(call(url)), requests };
  } finally {
    await transport.close();
    server.close();
  }
}

const answered = { reply: { kind: 'answered', status: 200, body: 'ok' }, requests: 1 };

describe('trust', () => {
  it('is given to the usual authorities', async () => {
    expect(await sendTo(known)).toMatchObject(answered);
  });

  it('is given to an extra authority', async () => {
    expect(await sendTo(extra, { ca: [extra.pem] })).toMatchObject(answered);
  });

  it('stays with the usual authorities when there is an extra one', async () => {
    expect(await sendTo(known, { ca: [extra.pem] })).toMatchObject(answered);
  });

  it.each<[string, Authority, TransportOptions, string | undefined, string]>([
    ['no authority that is known', extra, {}, undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    [
      'an authority besides the extra one',
      stranger,
      { ca: [extra.pem] },
      undefined,
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['another name', known, {}, 'example.org', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])(
    'is refused to a certificate of %s, and nothing is sent',
    async (_of, authority, options, name, code) => {
      expect(await sendTo(authority, options, name)).toEqual({
        reply: {
          kind: 'not_sent',
          code,
          reason: `the server cannot be trusted: no secure connection could be made (${code})`,
        },
        requests: 0,
      });
    },
  );

  it('is not asked of a server that does not speak TLS: nothing is sent', async () => {
    await using wire = await startRawServer(answering(answer(400, '')));
    const transport = createTransport();
    const reply = await transport.send(call(`https://127.0.0.1:${wire.port}`));
    expect(reply).toMatchObject({ kind: 'not_sent', code: expect.stringMatching(/SSL|EPROTO/) });
    expect(reply).toHaveProperty(
      'reason',
      expect.stringMatching(/no secure connection could be made/),
    );
    expect(wire.received.join('')).not.toContain('POST');
    await transport.close();
  });

  it.each([
    '',
    'not a certificate',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  ])('needs a certificate: %j is refused at the start', (pem) => {
    expect(() => createTransport({ ca: [extra.pem, pem] })).toThrow(
      'an extra authority is not a PEM certificate',
    );
  });
});

describe('a secure connection', () => {
  it('carries HTTP/1.1, where nothing is sent twice behind our back', async () => {
    const server = createSecureServer(
      { ...known.issue(), allowHTTP1: true },
      (request, response) => {
        response.end(request.httpVersion);
      },
    );
    const transport = createTransport();
    const reply = await transport.send(call(`https://127.0.0.1:${await portOf(server)}`));
    expect(reply).toMatchObject({ kind: 'answered', body: '1.1' });
    await transport.close();
    server.close();
  });

  it('that comes after the send was stopped is closed without a request', async () => {
    const stop = new AbortController();
    let requests = 0;
    const handshake = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const issued = known.issue('localhost');
    const server = createServer(
      {
        ...issued,
        SNICallback(_name, proceed) {
          stop.abort();
          void handshake.promise.then(() => proceed(null, createSecureContext(issued)));
        },
      },
      (_request, response) => {
        requests += 1;
        response.end();
        over.resolve();
      },
    );
    server.on('connection', (socket) => socket.once('close', () => over.resolve()));
    const transport = createTransport();
    const url = `https://localhost:${await portOf(server)}`;
    const reply = await transport.send(call(url, { signal: stop.signal }));
    expect(reply).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    handshake.resolve();
    await over.promise;
    expect(requests).toBe(0);
    await transport.close();
    server.close();
  });
});

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
