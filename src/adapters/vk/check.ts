// Asks VK whose token it is. We ask for users and communities without naming one: VK then names the owner of the
// token. The token of an application has no owner, and cannot post.

import { z } from 'zod';
import type { CredentialCheck } from '../adapter.ts';
import { asRead, sendError } from '../answer.ts';
import { type Answer, type Caller, type VkApi, withRetry } from './api.ts';

const Users = z.array(
  z.object({ id: z.int().positive(), first_name: z.string(), last_name: z.string() }),
);
const Communities = z.object({
  groups: z.array(z.object({ id: z.int().positive(), name: z.string() })),
});

const Wall = z.object({ items: z.array(z.unknown()) });

export async function checkToken(api: VkApi, caller: Caller): Promise<CredentialCheck> {
  const users = await withRetry(api, caller, () => api.call(caller, 'users.get', {}, Users));
  if (!users.ok) return failed(users);
  const [user] = users.value;
  if (user === undefined) return checkCommunity(api, caller);
  // A token of VK ID has an owner too, but may not touch any wall.
  const wall = { owner_id: user.id, count: 1 };
  const read = await withRetry(api, caller, () => api.call(caller, 'wall.get', wall, Wall));
  if (!read.ok) return failed(read);
  return { ok: true, account: `user ${user.first_name} ${user.last_name} (${user.id})` };
}

async function checkCommunity(api: VkApi, caller: Caller): Promise<CredentialCheck> {
  const own = await withRetry(api, caller, () =>
    api.call(caller, 'groups.getById', {}, Communities),
  );
  // 125 is "invalid group id": the token has no community.
  if (!own.ok && own.said !== 125) return failed(own);
  const [community] = own.ok ? own.value.groups : [];
  if (community !== undefined) {
    return { ok: true, account: `community ${community.name} (${community.id})` };
  }
  const words = 'the token is of neither a user nor a community';
  return { ok: false, error: sendError('credential_refused', words) };
}

function failed({ error }: Extract<Answer<unknown>, { ok: false }>): CredentialCheck {
  return { ok: false, error: asRead(error) };
}
