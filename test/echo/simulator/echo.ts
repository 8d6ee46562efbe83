// Rooms that show what is said in them.

import { z } from 'zod';
import type {
  PostView,
  SandboxReply,
  Simulator,
  SimulatorContext,
} from '../../../sandbox/simulator.ts';

export const methods = ['me', 'say'] as const;

const Said = z.object({ token: z.string(), room: z.string(), text: z.string() });
const Token = z.object({ token: z.string() });
const Room = z.object({ id: z.string(), title: z.string() });

export function createEcho({ clock }: SimulatorContext): Simulator {
  const tokens = new Set<string>();
  const rooms = new Map<string, { readonly title: string; readonly posts: PostView[] }>();
  const json = (status: number, body: object): SandboxReply => ({
    status,
    body: JSON.stringify(body),
  });
  return {
    platform: 'echo',
    methods,
    handle({ path, query, json: body }) {
      if (path === '/me') {
        return tokens.has(query.get('token') ?? '')
          ? json(200, { account: 'echo' })
          : json(401, {});
      }
      const { token, room, text } = Said.parse(body);
      if (!tokens.has(token)) return json(401, {});
      const posts = rooms.get(room)?.posts;
      if (posts === undefined) return json(404, {});
      const id = String(posts.length + 1);
      const sentAt = new Date(clock.now()).toISOString();
      posts.push({ id, text, html: '', media: [], buttons: [], sentAt });
      return json(200, { id });
    },
    refuse: () => undefined,
    describe: ({ path }) => ({ method: path.slice(1) }),
    chats: () => [...rooms].map(([chat, room]) => ({ chat, ...room })),
    control(name, body) {
      if (name === 'tokens') return tokens.add(Token.parse(body).token).size;
      const { id, title } = Room.parse(body);
      return rooms.set(id, { title, posts: [] }).size;
    },
  };
}
