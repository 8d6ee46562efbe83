// A receiver of webhooks. It accepts requests that are signed and not too large.

import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '../../../src/http/standard-webhooks.ts';
import { freePort } from '../http/free-port.ts';
import type { BrokerServer, Received } from './broker-server.ts';

export interface WebhookReceiver extends BrokerServer {
  /** All requests, accepted or not. */
  readonly requests: readonly ReceivedRequest[];
  /** Holds back the answers to POST requests until the returned function is called. */
  hold(): () => void;
  /** Refuses requests with that event type from now on, with this answer. */
  answer(eventType: string, status: number, headers?: Readonly<Record<string, string>>): void;
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<http.IncomingHttpHeaders>;
  readonly body: string;
}

export const webhookPassword = 'c4nary-of-webhooks';
export const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const webhookMaxBytes = 1024 * 1024;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const taken: Received[] = [];
  const requests: ReceivedRequest[] = [];
  let gate: Promise<void> | undefined;
  const answers = new Map<string, [number, Readonly<Record<string, string>>]>();

  async function judge(
    request: IncomingMessage,
  ): Promise<[number, Readonly<Record<string, string>>]> {
    const body = await buffer(request);
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers, body: body.toString() });
    if (method === 'POST') await gate;
    const credentials = Buffer.from(`hook:${webhookPassword}`).toString('base64');
    if (headers.authorization !== `Basic ${credentials}`) return [401, {}];
    if (method !== 'POST') return [405, {}];
    const answer = answers.get(String(headers['event-type']));
    if (answer !== undefined) return answer;
    if (!verifyWebhook(headers, body, webhookSecret, new Date()).ok) return [400, {}];
    if (body.length > webhookMaxBytes) return [413, {}];
    taken.push(receivedOf(headers, body));
    return [204, {}];
  }

  let server: http.Server | undefined;
  const port = await freePort();
  const start = async (): Promise<void> => {
    server = http.createServer((request, response) => {
      void judge(request).then(
        ([status, headers]) => response.writeHead(status, headers).end(),
        () => response.destroy(),
      );
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async (): Promise<void> => {
    if (server === undefined || !server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await start();

  return {
    port,
    requests,
    address: (at = port) => `http://hook:${webhookPassword}@127.0.0.1:${at}/events?from=outrider`,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return () => {
        gate = undefined;
        resolve();
      };
    },
    answer: (eventType, status, headers = {}) => void answers.set(eventType, [status, headers]),
    received: async () => [...taken],
    start,
    stop,
    close: stop,
  };
}

const names = ['event_id', 'event_type', 'aggregate_type', 'aggregate_id', 'created_at'];

function receivedOf(headers: http.IncomingHttpHeaders, body: Buffer): Received {
  const attributes = names.map((name) => [name, String(headers[name.replaceAll('_', '-')])]);
  return { body: body.toString(), attributes: Object.fromEntries(attributes) };
}
