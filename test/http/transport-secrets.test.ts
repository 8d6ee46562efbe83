import { inspect } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createTransport,
  type HttpRequest,
  type TransportOptions,
} from '../../src/http/transport.ts';
import {
  answer,
  answering,
  call,
  type RawConnection,
  refusingPort,
  startRawServer,
} from '../support/http/raw-server.ts';

// Every form of it differs from the others.
const token = '5300:AA+canary/s??cret=é~xy';
const plain = '5300-canary-in-a-host-name';

const transport = createTransport();
afterAll(() => transport.close());

const forms = [token, plain].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  encodeURI(secret),
  secret.replaceAll('/', '\\/'),
  Buffer.from(secret).toString('base64').replaceAll('=', ''),
  Buffer.from(secret).toString('base64url'),
]);

const escaped = (text: string): string =>
  text.replace(/./g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const inHtml = (text: string): string =>
  text.replace(/\W/g, (unit) => `&#x${unit.charCodeAt(0).toString(16)};`);

/** How servers, and what stands between them and us, may write the token. */
const spellings = [
  ...forms.slice(0, forms.length / 2),
  encodeURIComponent(token).replace(/%\w\w/g, (octet) => octet.toLowerCase()),
  Array.from(Buffer.from(token), (byte) => `%${byte.toString(16)}`).join(''),
  encodeURIComponent(encodeURIComponent(token)),
  token.replace(/\W/g, (unit) => `&#${unit.charCodeAt(0)};`),
  inHtml(token),
  inHtml(token).replaceAll('x', 'X0').replaceAll('&', '&amp;').replace('X0y', 'xy'),
  token
    .replace(':', '&colon;')
    .replace('+', '&plus;')
    .replace('/', '&sol;')
    .replace('=', '&equals;'),
  escaped(token),
  escaped(token).toUpperCase().replaceAll('U', 'u'),
  escaped(token).replaceAll('\\', '\\\\'),
  escaped(inHtml(token)),
  escaped(encodeURIComponent(token)),
  Buffer.from(token).toString('base64').replaceAll('=', '').replaceAll('/', '\\/'),
];

/** The token stands everywhere in the request: path, query, header, body. */
const withToken = (origin: string, changes: Partial<HttpRequest> = {}): HttpRequest =>
  call(`${origin}/bot${encodeURIComponent(token)}/send?access_token=${token}`, {
    headers: { authorization: Buffer.from(token).toString('base64') },
    body: { form: { access_token: token } },
    secrets: [token],
    ...changes,
  });

/** What the send gives or throws, to its last property. */
async function everything(request: HttpRequest, by = transport): Promise<string> {
  const result = await by.send(request).catch((error: unknown) => error);
  return inspect(result, { depth: Infinity, showHidden: true, maxStringLength: Infinity });
}

function leaked(text: string): string[] {
  return forms.filter((form) => text.includes(form));
}

describe('the token is in nothing that comes back', () => {
  it.each<[string, (connection: RawConnection) => void, string, TransportOptions?]>([
    ['a success', answering(answer(200, '{"ok":true}')), 'answered'],
    ['a refusal', answering(answer(401, 'Unauthorized')), 'answered'],
    [
      'a reset',
      ({ socket }) => void socket.once('data', () => socket.resetAndDestroy()),
      'unknown',
    ],
    ['a close', ({ socket }) => void socket.once('data', () => socket.end()), 'unknown'],
    ['silence', () => undefined, 'unknown', { headersTimeoutMs: 50 }],
    ['something else than HTTP', answering(`hello ${token}`), 'unknown'],
    [
      'a cut answer',
      answering('HTTP/1.1 200 Words\r\nContent-Length: 9\r\n\r\n{'),
      'unknown',
      { bodyTimeoutMs: 50 },
    ],
    [
      'too long an answer',
      answering(answer(200, token.repeat(1000))),
      'unknown',
      { maxAnswerBytes: 2000 },
    ],
    ['a head too long', answering(`HTTP/1.1 200 OK\r\nX-Echo: ${token.repeat(2000)}`), 'unknown'],
  ])('after %s', async (_what, handle, kind, options) => {
    await using wire = await startRawServer(handle);
    const limited = createTransport(options);
    onTestFinished(() => limited.close());
    const text = await everything(withToken(wire.url), limited);
    expect(text).toContain(`kind: '${kind}'`);
    expect(leaked(text)).toEqual([]);
  });

  it.each<[string, string, Partial<HttpRequest>]>([
    ['a refused connection', '', {}],
    ['a host that is not known', `http://${plain}.invalid`, {}],
    ['no address', `nonsense ${token}`, {}],
    ['an address of another kind', `ftp://${plain}`, {}],
    ['a header that cannot be written', '', { headers: { a: `${token}\n` } }],
    ['a header without a name', '', { headers: { [`${token}\n`]: 'a' } }],
    ['a send that was stopped', '', { signal: AbortSignal.abort(token) }],
  ])('after %s', async (_what, origin, changes) => {
    await using refusing = await refusingPort();
    const request = withToken(origin || `http://127.0.0.1:${refusing.port}`, changes);
    const text = await everything(request);
    expect(text).toContain("kind: 'not_sent'");
    expect(leaked(text)).toEqual([]);
  });

  it.each([
    ['that is gone', () => Promise.reject(new Error(token))],
    [
      'that breaks off',
      async () =>
        (async function* () {
          yield Buffer.from('a');
          throw Object.assign(new Error(token), { code: token, path: token });
        })(),
    ],
  ])('after a file %s', async (_what, open) => {
    await using wire = await startRawServer(() => undefined);
    const file = { name: 'a', filename: token, contentType: token, open };
    const text = await everything(withToken(wire.url, { body: { multipart: [file] } }));
    expect(text).toContain('source_');
    expect(leaked(text)).toEqual([]);
  });

  it('after a server that echoes it in every form, which are masked', async () => {
    const page = [...spellings, plain].map((each) => `<p>${each}</p>`).join('');
    const headers = { Location: `/bot${encodeURIComponent(token)}/send`, 'X-Plain': plain };
    await using wire = await startRawServer(answering(answer(404, page, headers)));
    const reply = await transport.send(withToken(wire.url));
    expect(reply).toMatchObject({ status: 404, headers: { location: '/bot***/send' } });
    const body = `${'<p>***</p>'.repeat(spellings.length)}<p>${plain}</p>`;
    expect(reply).toHaveProperty('body', body);
  });

  it('and an answer in JSON means the same with its escapes resolved', async () => {
    const said = '{"a":"\\u0022\\u005c\\u0041\\\\u0041\\\\\\u0041\\u00e9\\n"}';
    await using wire = await startRawServer(answering(answer(200, said)));
    const reply = await transport.send(withToken(wire.url));
    const body = '{"a":"\\u0022\\u005cA\\\\u0041\\\\A\\u00e9\\n"}';
    expect(reply).toHaveProperty('body', body);
    expect(JSON.parse(body)).toEqual(JSON.parse(said));
  });

  it('and a secret that is no text to encode stops nothing', async () => {
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    const reply = await transport.send(
      withToken(wire.url, { secrets: ['half a character: \ud800'] }),
    );
    expect(reply).toMatchObject({ body: 'ok' });
  });

  it('but a secret that is hardly one does not garble what comes back', async () => {
    await using wire = await startRawServer(answering(answer(200, '{"ok":true}')));
    expect(await transport.send(withToken(wire.url, { secrets: ['true'] }))).toMatchObject({
      body: '{"ok":true}',
    });
  });
});
