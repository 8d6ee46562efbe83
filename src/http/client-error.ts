// Answers a connection whose request cannot be read.

import type { Socket } from 'node:net';
import { type Refusal, refuse } from './refusal.ts';

const reasons: Readonly<Record<string, () => Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => refuse('request_timeout', 'the request did not come in time'),
  HPE_HEADER_OVERFLOW: () => refuse('headers_too_large', 'the headers are larger than 16 KiB'),
};

const malformed = (): Refusal => refuse('malformed_request', 'this is not HTTP that can be read');

export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = (reasons[error.code ?? ''] ?? malformed)();
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${body.error.code.replaceAll('_', ' ')}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
