// The front that an application would write around a peer's queue: a route that adds a job and answers. It checks
// no secret, no size and no pace, and keeps no receipt.

import { fastify } from 'fastify';
import type { Work } from '../contender.ts';
import type { Post } from '../post.ts';

export const frontPath = '/jobs';

/** `take` resolves when the queue has stored the post; then the front answers. */
export async function startFront(take: Work): Promise<{ url: string; close(): Promise<void> }> {
  const app = fastify();
  app.post<{ Body: Post }>(frontPath, async (request, reply) => {
    await take(request.body);
    return reply.code(202).send({ taken: true });
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => app.close() };
}
