import { Agent } from 'undici';
import type { Post } from '../post.ts';
import { frontPath } from './http-front.ts';
import { type Sending, startSending } from './start-sending.ts';
import type { Pusher, Way } from './way.ts';

/** The HTTP route by which a way takes posts in. */
export interface Door {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyOf: (post: Post) => unknown;
}

/** Pushes over a kept-alive connection to the sending process. `close` also ends that process. */
export function openHttpPusher(sending: Sending, { path, headers, bodyOf }: Door): Pusher {
  const agent = new Agent();
  const origin = sending.url ?? '';
  const asJson = { 'content-type': 'application/json', ...headers };
  return {
    async push(post) {
      const body = JSON.stringify(bodyOf(post));
      const request = { origin, path, method: 'POST', headers: asJson, body } as const;
      const answer = await agent.request(request);
      const told = await answer.body.text();
      if (answer.statusCode !== 202) throw new Error(`not taken in: ${told}`);
    },
    async close() {
      await agent.close();
      await sending.stop();
    },
  };
}

/** A peer behind the front. The front and the worker share a process, as Outrider's roles do. */
export function behindFront(way: Way): Way {
  const name = `${way.name}-http`;
  return {
    name,
    store: way.store,
    settings: { ...way.settings, push: `POST to a Fastify route: ${String(way.settings['push'])}` },
    async prepare(storeUrl, providerUrl) {
      const sending = await startSending(name, storeUrl, providerUrl);
      return openHttpPusher(sending, { path: frontPath, headers: {}, bodyOf: (post) => post });
    },
  };
}
