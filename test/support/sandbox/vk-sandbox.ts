// A simulated VK with a few people, called over HTTP as a client would.

import { Agent } from 'node:http';
import { VK } from 'vk-io';
import { z } from 'zod';
import { type MovableClock, movableClock } from '../../../sandbox/clock.ts';
import { type SandboxServer, startServer } from '../../../sandbox/server.ts';
import type { ChatView } from '../../../sandbox/simulator.ts';
import { drawPicture } from '../../../sandbox/vk/picture.ts';
import { createVk } from '../../../sandbox/vk/vk.ts';

/** 2026-03-02T10:00:00Z, in seconds. */
export const startSeconds = 1_772_445_600;
export const admin = 1001;
export const stranger = 1002;
export const community = 500;
export const wall = -community;

const errorSchema = z.looseObject({
  error_code: z.number(),
  error_msg: z.string(),
  error_subcode: z.number().optional(),
  request_params: z.array(z.strictObject({ key: z.string(), value: z.string() })),
});
const replySchema = z.union([
  z.strictObject({ response: z.unknown() }),
  z.strictObject({ error: errorSchema }),
]);

type Values = Readonly<Record<string, string | number>>;

export interface VkSandbox {
  readonly server: SandboxServer;
  readonly clock: MovableClock;
  /** Tokens of the administrator, a stranger, the community, the application and a VK ID login. */
  readonly tokens: Readonly<
    Record<'admin' | 'stranger' | 'community' | 'service' | 'vkId', string>
  >;
  control(name: string, body?: unknown): unknown;
  /** The whole JSON body; fails unless the status is 200. */
  raw(method: string, values: Values, token?: string): Promise<unknown>;
  /** The response; fails when VK refuses. The administrator calls unless told otherwise. */
  call(method: string, values?: Values, token?: string): Promise<unknown>;
  /** The error object; fails when VK does not refuse. */
  refusal(method: string, values?: Values, token?: string): Promise<z.infer<typeof errorSchema>>;
  /** Posts on the community's wall; answers with the id. */
  post(values?: Values, token?: string): Promise<number>;
  chat(chat: string | number): ChatView;
  texts(chat?: string | number): string[];
  client(token: string): VK;
  close(): Promise<void>;
}

export async function startVk(): Promise<VkSandbox> {
  const clock = movableClock(startSeconds * 1000);
  const server = await startServer({ create: createVk, clock });
  // vk-io wants an agent of node:https, which refuses plain HTTP. For its types, this one only lacks a field.
  const agent = Object.assign(new Agent(), { options: { path: undefined } });
  const control = (name: string, body: unknown = {}) => server.simulator.control(name, body);
  const tokens = {
    admin: 'vk1.a.admin',
    stranger: 'vk1.a.stranger',
    community: 'vk1.a.community',
    service: 'service-key',
    vkId: 'vk2.a.admin',
  };
  control('users', { id: admin, first_name: 'Анна', last_name: 'Орлова', screen_name: 'anna' });
  control('users', { id: stranger, first_name: 'Пётр', last_name: 'Сомов' });
  control('communities', {
    id: community,
    name: 'Потеряшки',
    screen_name: 'lost',
    admins: [admin],
  });
  control('tokens', { kind: 'user', token: tokens.admin, user_id: admin });
  control('tokens', { kind: 'user', token: tokens.stranger, user_id: stranger });
  control('tokens', { kind: 'community', token: tokens.community, group_id: community });
  control('tokens', { kind: 'service', token: tokens.service });
  control('tokens', { kind: 'vk_id', token: tokens.vkId, user_id: admin });
  // The clock stands still: a limit per second would stop every test after three calls.
  control('limits', { user_rps: null, service_rps: null, community_rps: null, same_text: null });

  async function raw(method: string, values: Values, token?: string): Promise<unknown> {
    const body = new URLSearchParams({ v: '5.199' });
    if (token !== undefined) body.set('access_token', token);
    for (const [name, value] of Object.entries(values)) body.set(name, String(value));
    const response = await fetch(`${server.url}/method/${method}`, { method: 'POST', body });
    if (response.status !== 200) throw new Error(`VK answers with ${response.status}`);
    return response.json();
  }

  async function call(method: string, values: Values = {}, token = tokens.admin): Promise<unknown> {
    const reply = replySchema.parse(await raw(method, values, token));
    if ('error' in reply) throw new Error(`${reply.error.error_code} ${reply.error.error_msg}`);
    return reply.response;
  }

  const chat = (name: string | number) => {
    const found = server.simulator.chats().find((each) => each.chat === String(name));
    if (found === undefined) throw new Error(`There is no chat ${name}`);
    return found;
  };

  return {
    server,
    clock,
    tokens,
    control,
    raw,
    call,
    async refusal(method, values = {}, token = tokens.admin) {
      const reply = replySchema.parse(await raw(method, values, token));
      if (!('error' in reply)) throw new Error(`${method} was not refused`);
      return reply.error;
    },
    async post(values = {}, token = tokens.admin) {
      const given = { owner_id: wall, from_group: 1, message: 'Пропал рыжий пёс', ...values };
      return z.strictObject({ post_id: z.number() }).parse(await call('wall.post', given, token))
        .post_id;
    },
    chat,
    texts: (name = wall) => chat(name).posts.map((post) => post.text),
    client: (token) =>
      new VK({
        token,
        agent,
        apiBaseUrl: `${server.url}/method`,
        apiLimit: 1000,
        apiRetryLimit: 0,
      }),
    async close() {
      agent.destroy();
      await server.close();
    },
  };
}

/** A file that VK takes as a photo. */
export function photoFile(seed = 'a photo', width = 800, height = 600): Buffer {
  return Buffer.from(drawPicture(width, height, seed));
}

/** Uploads a file to the address that a getUploadServer method gave; answers with the receipt. */
export async function upload(
  uploadUrl: string,
  file: Buffer,
  field = 'photo',
): Promise<{ server: number; photo: string; hash: string }> {
  const form = new FormData();
  form.set(field, new Blob([new Uint8Array(file)], { type: 'image/png' }), 'dog.png');
  const response = await fetch(uploadUrl, { method: 'POST', body: form });
  if (response.status !== 200) throw new Error(`the upload server answers with ${response.status}`);
  return z
    .strictObject({ server: z.number(), photo: z.string(), hash: z.string() })
    .parse(await response.json());
}
