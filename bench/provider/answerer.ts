// Answers sendMessage with the same bytes as the sandbox, and does nothing else: it reads the body, takes the next
// number and writes the message. It looks up no chat and keeps nothing.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { chatTitle } from './bot.ts';
import type { OnPost } from './protocol.ts';

const Message = z.object({ chat_id: z.string(), text: z.string() });

export async function startAnswerer(onPost: OnPost): Promise<string> {
  let messages = 0;
  // Only the client closes connections, so somebody always reads what it writes.
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    read(request, (body) => {
      messages += 1;
      onPost(body);
      answer(response, messages, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return `http://127.0.0.1:${address.port}`;
}

function read(request: IncomingMessage, onBody: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => onBody(Buffer.concat(chunks).toString()));
}

function answer(response: ServerResponse, messageId: number, requested: string): void {
  const { chat_id: id, text } = Message.parse(JSON.parse(requested));
  const chat = { id: Number(id), title: chatTitle(Number(id)), type: 'channel' };
  const link = text.lastIndexOf('https://');
  const body = JSON.stringify({
    ok: true,
    result: {
      message_id: messageId,
      sender_chat: chat,
      chat,
      date: Math.floor(Date.now() / 1000),
      text,
      entities: [{ type: 'url', offset: link, length: text.length - link }],
    },
  });
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
