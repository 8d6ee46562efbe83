// Finds posts, lists deliveries, and reads all about one of them.

import { explainDelivery, explainPost, findPosts } from '../db/explain.ts';
import { databaseTime } from '../db/health.ts';
import { listDeliveries, showDelivery } from '../db/inspect.ts';
import type { Queryable } from '../db/pool.ts';
import { postExcerpts } from '../db/status.ts';
import { InvalidInputError, NotFoundError } from '../errors.ts';
import type { ListAsked, Listed } from './pages/deliveries.ts';
import type { Found } from './pages/found.ts';
import type { ShownPost } from './pages/post.ts';

export interface SearchesOptions {
  readonly client: Queryable;
  readonly now?: (() => string) | undefined;
}

export interface Searches {
  find(workspaceId: string, search: string): Promise<Found>;
  /** Throws when the channel or the delivery before is not there. */
  list(workspaceId: string, asked: ListAsked): Promise<Listed>;
  /** Throws when it is not there. */
  post(workspaceId: string, deliveryId: string): Promise<ShownPost>;
}

const limit = 50;
const othersShown = 100;
const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createSearches({ client, now }: SearchesOptions): Searches {
  const moment = async (): Promise<string> => now?.() ?? (await databaseTime(client)).toISOString();

  return {
    async find(workspaceId, given) {
      // No post has control characters, and the database takes no U+0000.
      const search = given.replaceAll(/\p{Cc}+/gu, ' ').trim();
      const at = await moment();
      const found = { search, limit, now: new Date(at), refused: undefined };
      if (search === '') return { ...found, posts: [], explanations: [] };
      try {
        const posts = await findPosts(client, { workspaceId, search, limit }, at);
        const explanations =
          posts.length > 0 ? [] : await explainPost(client, { workspaceId, search }, at);
        return { ...found, posts, explanations };
      } catch (error) {
        // Our own words about what was asked for; see the contract of find_posts.
        if (!(error instanceof InvalidInputError)) throw error;
        const refused = error.message.replace(/^\w+: /, '');
        return { ...found, posts: [], explanations: [], refused };
      }
    },
    async list(workspaceId, asked) {
      const { status, channelId, before } = asked;
      if (before !== undefined && !isId.test(before)) throw new NotFoundError('no such delivery');
      const at = await moment();
      const filter = {
        workspaceId,
        statuses: status === undefined ? undefined : [status],
        channelIds: channelId === undefined ? undefined : [channelId],
        before,
        limit,
      };
      const deliveries = await listDeliveries(client, filter, at);
      const messageIds = [...new Set(deliveries.map(({ messageId }) => messageId))];
      const excerpts = await postExcerpts(client, { workspaceId, messageIds }, at);
      return { asked, deliveries, excerpts, limit, now: new Date(at) };
    },
    async post(workspaceId, deliveryId) {
      if (!isId.test(deliveryId)) throw new NotFoundError('there is no such delivery');
      const at = await moment();
      const shown = await showDelivery(client, workspaceId, deliveryId, at);
      const messageId = shown.message.message_id;
      const excerpts = await postExcerpts(client, { workspaceId, messageIds: [messageId] }, at);
      return {
        now: new Date(at),
        excerpt: excerpts.get(messageId) ?? '',
        shown,
        explanations: await explainDelivery(client, { workspaceId, deliveryId }, at),
        others: await listDeliveries(client, { workspaceId, messageId, limit: othersShown }, at),
      };
    },
  };
}
