// Calls of an adapter go to a simulator in this process: no socket is opened, and no file is read. An upload is a
// picture of its announced size, whatever the file is: enough for a simulator to take it for what it is called.

import { createHash } from 'node:crypto';
import type { MovableClock } from '../../sandbox/clock.ts';
import type { SandboxRequest, Simulator, UploadedFile } from '../../sandbox/simulator.ts';
import type { FilePart, FormPart } from '../http/multipart.ts';
import type { HttpBody, Transport } from '../http/transport.ts';

/** Longer than the windows in which platforms count calls: nothing is refused for its pace. */
const betweenCallsMs = 61_000;

export function memoryTransport(simulator: Simulator, clock: MovableClock): Transport {
  return {
    async send({ method, url, headers = {}, body }) {
      clock.advance(betweenCallsMs);
      const { pathname, searchParams } = new URL(url);
      const read = bodyOf(body);
      const reply = await simulator.handle({
        method,
        path: decodeURIComponent(pathname),
        query: searchParams,
        headers: { ...read.headers, ...inLowerCase(headers) },
        ...read.content,
      });
      const type = { 'content-type': 'application/json' };
      return {
        kind: 'answered',
        status: reply.status,
        headers: { ...type, ...inLowerCase(reply.headers ?? {}) },
        body: reply.body,
      };
    },
    close: async () => undefined,
  };
}

interface ReadBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Pick<SandboxRequest, 'json' | 'form' | 'files' | 'raw'>;
}

const nothing = { form: {}, files: [], raw: new Uint8Array() } as const;

function bodyOf(body: HttpBody | undefined): ReadBody {
  if (body === undefined) return { headers: {}, content: nothing };
  if ('text' in body) {
    return { headers: {}, content: { ...nothing, raw: Buffer.from(body.text) } };
  }
  if ('json' in body) {
    const text = JSON.stringify(body.json);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    };
    const json: unknown = JSON.parse(text);
    return { headers, content: { ...nothing, json } };
  }
  if ('form' in body) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { headers, content: { ...nothing, form: body.form } };
  }
  const fields = body.multipart.flatMap((part) =>
    'value' in part ? [[part.name, part.value] as const] : [],
  );
  return {
    headers: { 'content-type': 'multipart/form-data' },
    content: {
      ...nothing,
      form: Object.fromEntries(fields),
      files: body.multipart.filter(isFile).map(uploaded),
    },
  };
}

function isFile(part: FormPart): part is FilePart {
  return 'open' in part;
}

/** The first bytes of a PNG of 640 by 480 pixels. */
const pictureHead = Buffer.from(
  '89504e470d0a1a0a0000000d4948445200000280000001e00802000000',
  'hex',
);
const usualBytes = 65_536;

function uploaded({ name, filename, contentType, sizeBytes = usualBytes }: FilePart): UploadedFile {
  const sha256 = createHash('sha256').update(`${name} ${filename} ${sizeBytes}`).digest('hex');
  return { field: name, filename, contentType, size: sizeBytes, sha256, head: pictureHead };
}

function inLowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
