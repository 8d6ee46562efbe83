// Reads the body of a request: counts its bytes, and does not wait for them for ever.

import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request whose body nobody has asked for yet. */
export interface Incoming {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Patience {
  /** The longest silence between two pieces. */
  readonly silenceMs: number;
  /** For the whole body. */
  readonly totalMs?: number | undefined;
}

/** The sender stopped sending, or sends too slowly. */
export class SlowBodyError extends Error {
  constructor() {
    super('the body did not come in time');
    this.name = 'SlowBodyError';
  }
}

/** The sender went away. */
export class BrokenBodyError extends Error {
  constructor() {
    super('the connection broke off within the body');
    this.name = 'BrokenBodyError';
  }
}

export type Body =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false /** At least as many. */; readonly sizeBytes: number };

/** Counts the bytes of bodies that are kept in memory. */
export interface ByteHolder {
  /** Throws when there is no room for that many more. */
  readonly holdBytes: (count: number) => void;
}

/** The whole body. Not ok when it has more than `maxBytes`; then the rest is not read. */
export async function readBody(
  incoming: Incoming & ByteHolder,
  maxBytes: number,
  patience: Patience,
): Promise<Body> {
  const declared = declaredBytes(incoming);
  if (declared > maxBytes) return { ok: false, sizeBytes: declared };
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of bodyOf(incoming, patience)) {
    sizeBytes += piece.byteLength;
    if (sizeBytes > maxBytes) return { ok: false, sizeBytes };
    incoming.holdBytes(piece.byteLength);
    pieces.push(piece);
    if (sizeBytes === declared) break; // the end of the stream would come a turn or two later
  }
  return { ok: true, bytes: Buffer.concat(pieces, sizeBytes) };
}

/** What content-length says; 0 when it is missing. */
export function declaredBytes({ raw }: Incoming): number {
  return Number(raw.headers['content-length'] ?? 0);
}

/** The pieces of the body. If you stop reading early, the answer takes care of the rest (see `discardRest`). */
export async function* bodyOf(
  { raw, response }: Incoming,
  { silenceMs, totalMs = Number.POSITIVE_INFINITY }: Patience,
): AsyncGenerator<Uint8Array> {
  // A sender that asked whether it may send the body hears only now that somebody wants it.
  if (raw.headers.expect !== undefined && raw.httpVersion === '1.1') response.writeContinue();
  const deadline = performance.now() + totalMs;
  for (;;) {
    const piece: unknown = raw.read();
    if (piece instanceof Uint8Array) yield piece;
    else if (raw.readableEnded) return;
    else if (raw.destroyed) throw new BrokenBodyError();
    else await moreData(raw, Math.min(silenceMs, deadline - performance.now()));
  }
}

const streamEvents = ['readable', 'end', 'error', 'close'] as const;

/** Waits until the state of the stream changes. */
async function moreData(raw: IncomingMessage, ms: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new SlowBodyError()), ms);
  for (const event of streamEvents) raw.on(event, resolve);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    for (const event of streamEvents) raw.off(event, resolve);
  }
}

const lingerMs = 5000;
const lingerBytes = 4 * 1024 * 1024;

/**
 * Reads the rest of a body that nobody wants, for a while. A connection that is closed with bytes unread is reset, and
 * the sender then loses the answer that tells it why.
 */
export function discardRest(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return;
  let left = lingerBytes;
  const timer = setTimeout(() => raw.destroy(), lingerMs).unref();
  raw.once('close', () => clearTimeout(timer));
  raw.on('data', (piece: Uint8Array) => {
    left -= piece.byteLength;
    if (left < 0) raw.destroy();
  });
  raw.on('error', () => undefined);
}
