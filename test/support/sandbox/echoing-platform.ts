// A stand-in for Telegram that repeats the post in each of its answers, as the descriptions and error pages of real servers
// may. Tests look for the post in what is kept, logged and shown of the answers. The chat decides which answer comes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

type AnswerKind =
  | 'sent'
  | 'post refused'
  | 'chat refused'
  | 'too fast'
  | 'error page'
  | 'garbled'
  | 'no answer'
  | 'token refused';

/** Which answer a post to each chat gets. */
export const answersOfChats: Readonly<Record<string, AnswerKind>> = {
  '-1001': 'sent',
  '-1002': 'post refused',
  '-1003': 'chat refused',
  '-1004': 'too fast',
  '-1005': 'error page',
  '-1006': 'garbled',
  '-1007': 'no answer',
  '-1008': 'token refused',
};

const Call = z.object({ chat_id: z.coerce.string(), text: z.string() });

export interface EchoingPlatform {
  readonly url: string;
  close(): Promise<void>;
}

export async function startEchoingPlatform(): Promise<EchoingPlatform> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let newestMessageId = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const call = Call.parse(JSON.parse(await text(request)));
  const post = call.text;
  const refuse = (code: number, words: string, parameters = {}): void => {
    const description = `${words}: ${post}`;
    json(response, code, { ok: false, error_code: code, description, parameters });
  };
  switch (answersOfChats[call.chat_id]) {
    case 'sent': {
      newestMessageId += 1;
      const chat = { id: Number(call.chat_id) };
      const result = { message_id: newestMessageId, date: 0, chat, text: post };
      return json(response, 200, { ok: true, result });
    }
    case 'post refused':
      return refuse(400, "Bad Request: can't parse entities");
    case 'chat refused':
      return refuse(403, 'Forbidden: bot was kicked from the channel chat');
    case 'too fast':
      return refuse(429, 'Too Many Requests', { retry_after: 3600 });
    case 'error page':
      response.writeHead(502, { 'content-type': 'text/html', 'x-debug': 'token=0123456789abcdef' });
      return void response.end(`<html><pre>${post}</pre></html>`);
    case 'garbled':
      return json(response, 200, { ok: true, result: { echo: post } });
    case 'no answer':
      return void request.socket.destroy();
    case 'token refused':
      return refuse(401, 'Unauthorized');
    case undefined:
      return refuse(400, 'Bad Request: chat not found');
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
