// The HTTP front of a peer's queue, as an application would write it: one route that adds a job and answers. Outrider's
// intake also checks the secret, the size and the pace, and keeps a receipt. This front does not, in the peer's favour.

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
