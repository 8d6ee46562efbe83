// Reads one whole request. Parameters are held in memory up to the provider's cap; files are counted and hashed as
// they come in, and never kept.

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { ReaderFault, ReaderLimits, SandboxRequest, UploadedFile } from './simulator.ts';

const headBytes = 1024;
const rawBytes = 1024 * 1024;

const defaults: ReaderLimits = { parameterBytes: 1024 ** 2, files: 50, bodyBytes: 4 * 1024 ** 3 };

/** Thrown while a body streams in; caught in `readRequest`. */
class Unreadable extends Error {
  readonly fault: ReaderFault;

  constructor(fault: ReaderFault) {
    super(fault.what);
    this.fault = fault;
  }
}

type Body = Pick<SandboxRequest, 'json' | 'form' | 'files' | 'raw'>;

const nothing: Body = { form: {}, files: [], raw: new Uint8Array() };

/** The path and query of a request target; undefined when its escapes are broken. */
export function readTarget(target: string): { path: string; query: URLSearchParams } | undefined {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark));
  try {
    return { path: decodeURIComponent(path), query };
  } catch {
    return undefined;
  }
}

export async function readRequest(
  message: IncomingMessage,
  limits: Partial<ReaderLimits> = {},
): Promise<{ request: SandboxRequest } | { fault: ReaderFault }> {
  const target = readTarget(message.url ?? '/');
  if (target === undefined) return { fault: { status: 400, what: 'malformed' } };
  try {
    const body = await readBody(message, { ...defaults, ...limits });
    const headers = Object.fromEntries(
      Object.entries(message.headersDistinct).map(([name, values]) => [
        name,
        (values ?? []).join(', '),
      ]),
    );
    return { request: { method: message.method ?? 'GET', ...target, headers, ...body } };
  } catch (error) {
    if (error instanceof Unreadable) return { fault: error.fault };
    throw error;
  }
}

async function readBody(message: IncomingMessage, limits: ReaderLimits): Promise<Body> {
  if (Number(message.headers['content-length'] ?? 0) > limits.bodyBytes) {
    throw new Unreadable({ status: 413, what: 'body' });
  }
  const type = (message.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'multipart/form-data') return readMultipart(message, limits);
  if (type === 'application/json') {
    const bytes = await readParameters(message, limits);
    const json = parseJson(bytes);
    return json === undefined ? { ...nothing, raw: bytes } : { ...nothing, json };
  }
  if (type === 'application/x-www-form-urlencoded') {
    const text = (await readParameters(message, limits)).toString();
    return { ...nothing, form: Object.fromEntries(new URLSearchParams(text)) };
  }
  return readRaw(message, limits);
}

async function readParameters(message: IncomingMessage, limits: ReaderLimits): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytesOf(message)) {
    size += chunk.length;
    if (size > limits.parameterBytes) throw new Unreadable({ status: 413, what: 'parameters' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** A body of another type: kept up to 1 MiB, and counted as a file without a name. */
async function readRaw(message: IncomingMessage, limits: ReaderLimits): Promise<Body> {
  const chunks: Buffer[] = [];
  let kept = 0;
  const file = await takeFile(message, (chunk) => {
    if (kept < rawBytes) chunks.push(chunk.subarray(0, rawBytes - kept));
    kept += chunk.length;
  });
  if (file.size === 0) return nothing;
  if (file.size > limits.bodyBytes) throw new Unreadable({ status: 413, what: 'body' });
  const contentType = message.headers['content-type'] ?? '';
  const named = { field: '', filename: '', contentType, ...file };
  return { ...nothing, files: [named], raw: Buffer.concat(chunks) };
}

async function readMultipart(message: IncomingMessage, limits: ReaderLimits): Promise<Body> {
  const fields: [string, string][] = [];
  const files: Promise<UploadedFile>[] = [];
  let parameters = 0;
  let stopped: ReaderFault | undefined;
  const parser = openParser(message, limits);
  parser.on('field', (name, value, _nameCut, cut) => {
    parameters += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (cut || parameters > limits.parameterBytes) stopped = { status: 413, what: 'parameters' };
    else fields.push([name, value]);
  });
  parser.on('file', (field, stream, filename, _encoding, contentType) => {
    const file = takeFile(stream).then((facts) => ({ field, filename, contentType, ...facts }));
    // A part that breaks off breaks the whole body, and the pipeline reports that.
    file.catch(() => undefined);
    files.push(file);
  });
  parser.on('filesLimit', () => {
    stopped = { status: 413, what: 'files' };
  });
  try {
    await pipeline(message, parser);
  } catch {
    throw new Unreadable(stopped ?? { status: 400, what: 'malformed' });
  }
  const taken = await Promise.all(files);
  const size = taken.reduce((sum, file) => sum + file.size, 0);
  if (stopped !== undefined) throw new Unreadable(stopped);
  if (size > limits.bodyBytes) throw new Unreadable({ status: 413, what: 'body' });
  return { ...nothing, form: Object.fromEntries(fields), files: taken };
}

function openParser(message: IncomingMessage, limits: ReaderLimits) {
  try {
    return new Busboy({
      headers: { ...message.headers, 'content-type': message.headers['content-type'] ?? '' },
      limits: { fieldSize: limits.parameterBytes, fieldNameSize: 1024, files: limits.files },
    });
  } catch {
    throw new Unreadable({ status: 400, what: 'malformed' });
  }
}

async function takeFile(
  stream: Readable,
  each: (chunk: Buffer) => void = () => undefined,
): Promise<Pick<UploadedFile, 'size' | 'sha256' | 'head'>> {
  const hash = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of bytesOf(stream)) {
    size += chunk.length;
    if (head.length < headBytes) head = Buffer.concat([head, chunk]).subarray(0, headBytes);
    hash.update(chunk);
    each(chunk);
  }
  return { size, sha256: hash.digest('hex'), head };
}

/** A loop that ends early does not destroy the stream: the connection is still needed for the answer. */
async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    if (Buffer.isBuffer(chunk)) yield chunk;
  }
}
