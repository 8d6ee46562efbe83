// Asks VK whose token it is. We ask for users and communities without naming one: VK then names the owner of the
// token. The token of an application has no owner, and cannot post.

import { z } from 'zod';
import type { CredentialCheck, PostingFault } from '../adapter.ts';
import { asRead, sendError } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { type Answer, type VkApi, withRetry } from './api.ts';

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
  const account = `user ${user.first_name} ${user.last_name} (${user.id})`;
  const granted = await withRetry(api, caller, () =>
    api.call(caller, 'account.getAppPermissions', {}, z.int().nonnegative()),
  );
  // The token is good, whatever became of the question what it may do.
  const faults = granted.ok ? missingRights(granted.value) : [];
  return { ok: true, account, ...(faults.length > 0 && { faults }) };
}

/** The rights of a token as VK numbers them. */
const rights = [
  { bit: 1 << 13, name: 'wall', blocks: true },
  { bit: 1 << 2, name: 'photos', blocks: false },
];

function missingRights(granted: number): PostingFault[] {
  return rights
    .filter(({ bit }) => (granted & bit) === 0)
    .map(({ name, blocks }) => ({
      blocks,
      message: `the token does not have the right ${name}`,
      remedy: `get a token with the rights ${rights.map((each) => each.name).join(' and ')}`,
    }));
}

/** Calls a second with the token of a community; with that of a user it is three. */
const communityRps = 20;

async function checkCommunity(api: VkApi, caller: Caller): Promise<CredentialCheck> {
  const own = await withRetry(api, caller, () =>
    api.call(caller, 'groups.getById', {}, Communities),
  );
  // 125 is "invalid group id": the token has no community.
  if (!own.ok && own.said !== 125) return failed(own);
  const [community] = own.ok ? own.value.groups : [];
  if (community !== undefined) {
    const account = `community ${community.name} (${community.id})`;
    return { ok: true, account, groupRps: communityRps };
  }
  const words = 'the token is of neither a user nor a community';
  return { ok: false, error: sendError('credential_refused', words) };
}

function failed({ error }: Extract<Answer<unknown>, { ok: false }>): CredentialCheck {
  return { ok: false, error: asRead(error) };
}
