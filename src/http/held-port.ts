// Holds the port of the HTTP server while the rest of Outrider starts. The port is taken before anything else is done:
// a process that cannot have its port ends before it touches the database, and nobody can take the port meanwhile.
//
//   holdPort → held: requests are told that the server is starting → release → free for the server

import { once } from 'node:events';
import http from 'node:http';
import { alive } from './health.ts';
import { listenFault, type Place } from './listen-fault.ts';
import { refuse } from './refusal.ts';

export interface HeldPort {
  /** Lets the port go. May be called more than once. */
  release(): Promise<void>;
}

/** Takes the port. Port 0 means any free port: then there is nothing to hold. */
export async function holdPort(place: Place): Promise<HeldPort> {
  if (place.port === 0) return { release: async () => undefined };
  const server = http.createServer(answer);
  try {
    server.listen(place.port, place.host);
    await once(server, 'listening');
  } catch (error) {
    throw listenFault(error, place);
  }
  return {
    async release() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer({ url }: http.IncomingMessage, response: http.ServerResponse): void {
  const { status, body, headers } =
    url === '/healthz' ? { status: 200, body: alive, headers: {} } : starting();
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
      ...headers,
    })
    .end(JSON.stringify(body));
}

function starting() {
  return refuse('starting', 'the server is starting, so nothing was accepted', {
    hint: 'send the same request again',
    retryAfterSeconds: 1,
  });
}
