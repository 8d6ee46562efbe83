// A bucket of an S3-compatible server: signed calls, repeated where that helps, and their answers.

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import {
  createStreamedCalls,
  type StreamedCall,
  type StreamedReply,
} from '../http/streamed-call.ts';
import type { ReadSecret } from '../secrets.ts';
import {
  isPassing,
  oddFault,
  refusalFault,
  type S3Refusal,
  secretFault,
  wireFault,
} from './s3-faults.ts';
import { type ListPage, readListPage } from './s3-list.ts';

export interface BucketOptions {
  /** Undefined: that of AWS. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  /** Read for each call, so that a new key is used at once. */
  readonly secretKey: () => Promise<ReadSecret>;
  /** Whether the bucket stands in the path of an address, or before the host. */
  readonly forcePathStyle: boolean;
  /** How many objects are listed at once; the server has a limit of its own. */
  readonly pageSize?: number | undefined;
  /** How long to wait before each repetition. */
  readonly repeatAfterMs?: readonly number[] | undefined;
}

/** Each call throws StoreAwayError when the server cannot be reached or says no. */
export interface Bucket {
  /** Reads it back, too: whoever keeps it is an S3 server. */
  putEmpty(key: string): Promise<void>;
  putFile(key: string, file: BucketFile): Promise<void>;
  /** Undefined when there is no such object. */
  get(key: string): Promise<Readable | undefined>;
  /** False when there is no such object. */
  copy(from: string, to: string): Promise<boolean>;
  /** No error when it is gone already. */
  remove(key: string): Promise<void>;
  /** The keys that begin with the prefix, in their order. */
  list(prefix: string, after?: string): Promise<ListPage>;
  close(): Promise<void>;
}

export interface BucketFile {
  readonly file: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly contentType: string;
}

interface Asked {
  readonly method: StreamedCall['method'];
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly file?: BucketFile | undefined;
}

type Answered = Extract<StreamedReply, { kind: 'answered' }>;

const ofNothing = createHash('sha256').digest('hex');
const callMs = 30_000;
/** What a slow line carries in a second. */
const slowBytes = 64 * 1024;

export function openBucket(options: BucketOptions): Bucket {
  const {
    region,
    bucket,
    accessKeyId,
    secretKey,
    repeatAfterMs = [100, 400],
    pageSize = 1000,
  } = options;
  const address = addressOf(options);
  const place = `the bucket "${bucket}" at ${address.host}`;
  const calls = createStreamedCalls();
  /** Keys derived from the secret for a day. */
  const derived = new Map<string, ArrayBuffer>();

  async function signed({ method, key, query, headers, file }: Asked): Promise<StreamedCall> {
    const secret = await secretKey();
    if (!secret.ok) throw secretFault(place, secret.reason);
    const url = new URL(address);
    if (key !== undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}/${key}`;
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      // The server compares the hash with the bytes that it gets.
      headers: { ...headers, 'x-amz-content-sha256': file?.sha256 ?? ofNothing },
      accessKeyId,
      secretAccessKey: secret.secret,
      service: 's3',
      region,
      cache: derived,
    });
    const ready = await signer.sign();
    const type = file === undefined ? {} : { 'content-type': file.contentType };
    const timeoutMs = callMs + ((file?.sizeBytes ?? 0) / slowBytes) * 1000;
    const given = { ...Object.fromEntries(ready.headers.entries()), ...type };
    return { method, url: ready.url.href, headers: given, body: file, timeoutMs };
  }

  /** It is repeated when the server cannot be reached for a moment: doing it twice is harmless. */
  async function ask(asked: Asked): Promise<Answered | S3Refusal> {
    for (let n = 0; ; n += 1) {
      const reply = await calls.send(await signed(asked));
      const isLast = n >= repeatAfterMs.length;
      if (reply.kind === 'failed') {
        if (isLast) throw wireFault(place, reply);
      } else {
        if (reply.status < 300) return reply;
        const refusal = await refusalOf(reply);
        if (isLast || !isPassing(refusal)) return refusal;
      }
      await delay(repeatAfterMs[n] ?? 0);
    }
  }

  async function done(asked: Asked): Promise<Answered> {
    const answer = await ask(asked);
    if ('kind' in answer) return answer;
    throw refusalFault(place, answer);
  }

  /** S3 names what it has kept. */
  async function written(asked: Asked): Promise<void> {
    const answer = await done(asked);
    await over(answer);
    if (answer.headers['etag'] === undefined) throw oddFault(place);
  }

  /** Undefined where the server says that the object is not there. */
  async function found(asked: Asked): Promise<Answered | undefined> {
    const answer = await ask(asked);
    if ('kind' in answer) return answer;
    if (answer.code === 'NoSuchKey') return undefined;
    throw refusalFault(place, answer);
  }

  return {
    async putEmpty(key) {
      await written({ method: 'PUT', key });
      const body = await found({ method: 'GET', key });
      // A server that is no S3 may answer everything with a page.
      if (body === undefined || (await text(body.body)) !== '') throw oddFault(place);
    },
    async putFile(key, file) {
      await written({ method: 'PUT', key, file });
    },
    async get(key) {
      return (await found({ method: 'GET', key }))?.body;
    },
    async copy(from, to) {
      const headers = { 'x-amz-copy-source': `/${bucket}/${from}` };
      const answer = await found({ method: 'PUT', key: to, headers });
      if (answer === undefined) return false;
      // A copy that fails on its way is answered with 200 and an error in the body.
      const code = codeIn(await text(answer.body));
      if (code !== undefined) throw refusalFault(place, { status: 500, code });
      return true;
    },
    async remove(key) {
      const answer = await found({ method: 'DELETE', key });
      if (answer !== undefined) await over(answer);
    },
    async list(prefix, after) {
      const marker = after === undefined ? {} : { marker: after };
      const query = { 'max-keys': String(pageSize), prefix, ...marker };
      const answer = await done({ method: 'GET', query });
      const page = readListPage(await text(answer.body), timeOf(answer));
      // A page that ends where the last one ended would be listed for ever.
      if (page === undefined || !isBehind(page.next, after)) throw oddFault(place);
      return page;
    },
    close: () => calls.close(),
  };
}

function addressOf({ endpoint, region, bucket, forcePathStyle }: BucketOptions): URL {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  if (forcePathStyle) url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}`;
  else url.host = `${bucket}.${url.host}`;
  return url;
}

async function refusalOf({ status, body }: Answered): Promise<S3Refusal> {
  const head: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) break;
      size += chunk.byteLength;
      head.push(Buffer.from(chunk));
      if (size > 16 * 1024) break;
    }
  } catch {
    // What came is all that there is to judge by.
  }
  return { status, code: codeIn(Buffer.concat(head).toString('utf8')) };
}

function codeIn(xml: string): string | undefined {
  return /<Error>[\s\S]*?<Code>([A-Za-z]{1,64})<\/Code>/.exec(xml)?.[1];
}

/** Keys are listed in the order of their bytes. */
function isBehind(next: string | undefined, after: string | undefined): boolean {
  if (next === undefined || after === undefined) return true;
  return Buffer.compare(Buffer.from(next), Buffer.from(after)) > 0;
}

/** The time at the server. */
function timeOf({ headers }: Answered): Date {
  const told = new Date(String(headers['date']));
  return Number.isNaN(told.getTime()) ? new Date() : told;
}

/** Reads an answer that says nothing more, so that its connection is free again. */
async function over({ body }: Answered): Promise<void> {
  await text(body);
}
