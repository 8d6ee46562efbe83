// A Telegram that repeats the post in whatever it answers, as error pages and descriptions do: for tests of what is kept,
// logged and shown of its answers. The chat decides what it answers.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** What each chat answers with. */
export const echoes = {
  '-1001': 'sent',
  '-1002': 'post refused',
  '-1003': 'chat refused',
  '-1004': 'too fast',
  '-1005': 'error page',
  '-1006': 'garbled',
  '-1007': 'no answer',
  '-1008': 'token refused',
} as const;

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

let messages = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const call = Call.parse(JSON.parse(await text(request)));
  const said = call.text;
  const refusal = (code: number, words: string, parameters = {}): void => {
    const description = `${words}: ${said}`;
    json(response, code, { ok: false, error_code: code, description, parameters });
  };
  switch (call.chat_id) {
    case '-1001': {
      messages += 1;
      const result = { message_id: messages, date: 0, chat: { id: -1001 }, text: said };
      return json(response, 200, { ok: true, result });
    }
    case '-1002':
      return refusal(400, "Bad Request: can't parse entities");
    case '-1003':
      return refusal(403, 'Forbidden: bot was kicked from the channel chat');
    case '-1004':
      return refusal(429, 'Too Many Requests', { retry_after: 3600 });
    case '-1005':
      response.writeHead(502, { 'content-type': 'text/html', 'x-debug': 'token=0123456789abcdef' });
      return void response.end(`<html><pre>${said}</pre></html>`);
    case '-1006':
      return json(response, 200, { ok: true, result: { echo: said } });
    case '-1007':
      return void request.socket.destroy();
    default:
      return refusal(401, 'Unauthorized');
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
