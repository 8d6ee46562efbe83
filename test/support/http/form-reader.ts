import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import type { FilePart } from '../../../src/http/multipart.ts';

interface Form {
  readonly headers: IncomingMessage['headers'];
  readonly parts: { name: string; filename?: string; type?: string; content: string }[];
}

export interface FormReader {
  readonly url: string;
  /** The forms that arrived complete. */
  readonly forms: readonly Form[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server that reads forms with a parser that we did not write. */
export async function startFormReader(): Promise<FormReader> {
  const forms: Form[] = [];
  const server = createServer((request, response) => {
    const parts: Form['parts'] = [];
    const { 'content-type': type = '' } = request.headers;
    const busboy = new Busboy({ headers: { 'content-type': type } });
    busboy.on('field', (name, content) => parts.push({ name, content }));
    busboy.on('file', (name, stream, filename, _encoding, mediaType) => {
      const part = { name, filename, type: mediaType, content: '' };
      parts.push(part);
      stream.on('data', (chunk: Buffer) => {
        part.content += chunk.toString('utf8');
      });
    });
    busboy.on('finish', () => {
      forms.push({ headers: request.headers, parts });
      response.end('ok');
    });
    busboy.on('error', () => response.destroy());
    request.pipe(busboy);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    forms,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A file of these pieces, with the changes that a test wants. */
export function file(pieces: Iterable<string>, changes: Partial<FilePart> = {}): FilePart {
  return {
    name: 'file',
    filename: 'note.txt',
    contentType: 'text/plain',
    open: async () => bytes(pieces),
    ...changes,
  };
}

async function* bytes(pieces: Iterable<string>) {
  for (const piece of pieces) yield Buffer.from(piece);
}
