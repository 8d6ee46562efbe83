// Unpacks a file that a server has packed for the way (content-encoding).

import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { FetchFault } from './fetch-fault.ts';

export type Packing = 'gzip' | 'br';

/** How a file is packed; undefined: in a way that we cannot unpack. */
export function packedAs(
  headers: Dispatcher.ResponseData['headers'],
): Packing | 'nothing' | undefined {
  const { 'content-encoding': content = '', 'transfer-encoding': transfer = '' } = headers;
  if (!/^(chunked)?$/i.test(String(transfer).trim())) return undefined;
  return packings[String(content).trim().toLowerCase()];
}

const packings: Readonly<Record<string, Packing | 'nothing'>> = {
  '': 'nothing',
  identity: 'nothing',
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'gzip', // what unpacks gzip reads the head of deflate, too
  br: 'br',
};

/** The unpacked bytes. Whoever reads them stops when there are too many; then nothing more is unpacked. */
export async function* unpacked(
  bytes: AsyncIterable<Uint8Array>,
  packing: Packing,
  host: string,
): AsyncGenerator<Uint8Array> {
  const unpacking = packing === 'br' ? createBrotliDecompress() : createUnzip();
  // What goes wrong with the connection is not the packing's fault, and keeps its own words.
  let broken: Error | undefined;
  const arriving = Readable.from(
    noting(bytes, (error) => {
      broken = error;
    }),
  );
  pipeline(arriving, unpacking, () => undefined); // its errors come out of `unpacking`, too
  try {
    for await (const chunk of unpacking) yield asBytes(chunk);
  } catch {
    throw (
      broken ?? new FetchFault('unexpected_answer', `${host} sends a packed file that is broken`)
    );
  } finally {
    arriving.destroy();
  }
}

async function* noting(
  bytes: AsyncIterable<Uint8Array>,
  note: (error: Error) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (error instanceof Error) note(error);
    throw error;
  }
}

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError('a stream of bytes gave something else');
}
