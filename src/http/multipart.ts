// A form with files, as a stream: no file is ever held in memory.

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

export type FormPart = FieldPart | FilePart;

export interface FieldPart {
  readonly name: string;
  readonly value: string;
}

export interface FilePart {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  /** When missing, the request does not say how long it is. */
  readonly sizeBytes?: number | undefined;
  /** Undefined when there is no such file; fails while the file cannot be read. */
  open(): Promise<AsyncIterable<Uint8Array> | undefined>;
}

export interface Multipart {
  readonly contentType: string;
  readonly length: number | undefined;
  /** Reads the files one after the other. The signal ends the reading of a file that hangs. */
  bytes(ended: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
}

/** A file of ours is missing or cannot be read, so the network is not to blame. The message does not say where the file is. */
export class SourceError extends Error {
  readonly code: 'source_missing' | 'source_failed';

  constructor(code: 'source_missing' | 'source_failed', message: string) {
    super(message);
    this.name = 'SourceError';
    this.code = code;
  }
}

export function multipart(parts: readonly FormPart[]): Multipart {
  const boundary = `outrider-${randomUUID()}`;
  const heads = parts.map((part) => Buffer.from(`--${boundary}\r\n${head(part)}\r\n\r\n`));
  const tail = Buffer.from(`--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: lengthOf(parts, heads, tail),
    async *bytes(ended) {
      const files = parts.map((part) => ('open' in part ? content(part, ended) : undefined));
      const first = files.find((file) => file !== undefined);
      // The first file is opened before the first byte leaves: if that file is gone, nothing is half sent.
      const opening = await first?.next();
      try {
        for (const [index, part] of parts.entries()) {
          yield heads[index] ?? Buffer.alloc(0);
          const file = files[index];
          if (file === undefined && 'value' in part) yield Buffer.from(part.value);
          if (file !== undefined) {
            if (file === first && opening?.done === false) yield opening.value;
            yield* file;
          }
          yield newLine;
        }
        yield tail;
      } finally {
        await first?.return();
      }
    },
  };
}

const newLine = Buffer.from('\r\n');

function head(part: FormPart): string {
  const name = `Content-Disposition: form-data; name="${quoted(part.name)}"`;
  if ('value' in part) return name;
  return `${name}; filename="${quoted(part.filename)}"\r\nContent-Type: ${mediaType(part.contentType)}`;
}

// Escaped as browsers escape it, so that every server can read it.
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function mediaType(type: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\x20-\x7e]*)?$/.test(type)
    ? type
    : 'application/octet-stream';
}

function lengthOf(
  parts: readonly FormPart[],
  heads: readonly Buffer[],
  tail: Buffer,
): number | undefined {
  let length = tail.byteLength;
  for (const [index, part] of parts.entries()) {
    const size = 'value' in part ? Buffer.byteLength(part.value) : part.sizeBytes;
    if (size === undefined) return undefined;
    length += (heads[index]?.byteLength ?? 0) + size + newLine.byteLength;
  }
  return length;
}

async function* content(
  file: FilePart,
  ended: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const source = await file.open().catch(() => {
    throw new SourceError('source_failed', 'the file cannot be opened at present');
  });
  if (source === undefined) throw new SourceError('source_missing', 'the file is not there');
  // While a stream waits for bytes that never come, its iterator ends only when the stream is destroyed.
  const endReading = () => {
    if (source instanceof Readable) source.destroy();
  };
  if (ended.aborted) endReading();
  ended.addEventListener('abort', endReading, { once: true });
  let size = 0;
  try {
    for await (const chunk of source) {
      size += chunk.byteLength;
      if (size > (file.sizeBytes ?? size)) break;
      yield chunk;
    }
  } catch {
    throw new SourceError('source_failed', 'the file could not be read to its end');
  } finally {
    ended.removeEventListener('abort', endReading);
  }
  if (size !== (file.sizeBytes ?? size)) {
    throw new SourceError('source_failed', 'the file does not have the announced length');
  }
}
