// Looks at the wall of a channel: whether its owner is there, and whether the owner of the token may post on it.

import { z } from 'zod';
import type { ChatInspection, PostingFault, SendChannel, SendError } from '../adapter.ts';
import { asRead, sendError } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { type Answer, type VkApi, withRetry } from './api.ts';
import { readTarget, type Target } from './target.ts';

const flag = z
  .union([z.literal(0), z.literal(1), z.boolean()])
  .transform(Boolean)
  .optional()
  .catch(undefined);

const Community = z.object({
  id: z.int().positive(),
  name: z.string(),
  deactivated: z.string().optional(),
  is_admin: flag,
  admin_level: z.int().optional().catch(undefined),
  can_post: flag,
});
const Communities = z.object({ groups: z.array(Community) });
const Users = z.array(
  z.object({
    id: z.int().positive(),
    first_name: z.string(),
    last_name: z.string(),
    deactivated: z.string().optional(),
    can_post: flag,
  }),
);

type Community = z.output<typeof Community>;

export async function inspectWall(
  api: VkApi,
  channel: SendChannel,
  caller: Caller,
): Promise<ChatInspection> {
  const target = readTarget(channel);
  if ('code' in target) return { ok: false, error: target };
  return target.ownerId < 0
    ? inspectCommunity(api, caller, target)
    : inspectPerson(api, caller, target);
}

async function inspectCommunity(
  api: VkApi,
  caller: Caller,
  target: Target,
): Promise<ChatInspection> {
  const id = -target.ownerId;
  const asked = { group_ids: id, fields: 'can_post,is_admin,admin_level' };
  const found = await communities(api, caller, asked);
  if (!found.ok) return failed(found);
  const group = found.value.groups.find((each) => each.id === id);
  if (group === undefined) return missing(target);
  const wall = { ok: true, chatId: String(target.ownerId), title: group.name } as const;
  const faults = communityFaults(group, target.fromGroup);
  if (faults.length > 0 || group.is_admin !== undefined) return { ...wall, faults };

  // VK does not say to the token of a community what it may do.
  const own = await communities(api, caller, {});
  // 125 is "invalid group id": the token is of no community.
  if (!own.ok) return own.said === 125 ? { ...wall, faults } : failed(own);
  const isOwn = own.value.groups.some((each) => each.id === id);
  return { ...wall, faults: [isOwn ? textOnly : ofAnother] };
}

function communities(
  api: VkApi,
  caller: Caller,
  asked: { readonly group_ids?: number; readonly fields?: string },
): Promise<Answer<z.output<typeof Communities>>> {
  return withRetry(api, caller, () => api.call(caller, 'groups.getById', asked, Communities));
}

function communityFaults(group: Community, fromGroup: boolean): PostingFault[] {
  const { deactivated, is_admin: isAdmin, admin_level: level, can_post: canPost } = group;
  if (deactivated !== undefined) return [gone(deactivated)];
  if (canPost === false) {
    return [
      {
        blocks: true,
        message: 'the owner of the token may not post on this wall',
        remedy: 'open the wall, or make the owner of the token an editor of the community',
      },
    ];
  }
  // A moderator (1) may not post for the community; an editor (2) and an administrator (3) may.
  const mayForGroup = isAdmin === undefined || (isAdmin && (level ?? 3) >= 2);
  if (!fromGroup || mayForGroup) return [];
  return [
    {
      blocks: true,
      message: 'the owner of the token may not post in the name of the community',
      remedy: 'make the owner of the token an editor of the community, or set from_group: false',
    },
  ];
}

async function inspectPerson(api: VkApi, caller: Caller, target: Target): Promise<ChatInspection> {
  const asked = { user_ids: target.ownerId, fields: 'can_post' };
  const found = await withRetry(api, caller, () => api.call(caller, 'users.get', asked, Users));
  if (!found.ok) return failed(found);
  const [user] = found.value;
  if (user === undefined) return missing(target);
  const title = `${user.first_name} ${user.last_name}`.trim();
  const wall = { ok: true, chatId: String(user.id), title } as const;
  if (user.deactivated !== undefined) return { ...wall, faults: [gone(user.deactivated)] };
  if (user.can_post !== false) return { ...wall, faults: [] };
  const remedy = 'let the person open the wall, or take the token of that person';
  const message = 'the owner of the token may not post on this wall';
  return { ...wall, faults: [{ blocks: true, message, remedy }] };
}

function gone(how: string): PostingFault {
  const message = `the owner of the wall is ${how}`;
  return { blocks: true, message, remedy: 'take the channel out, or name another wall' };
}

const textOnly: PostingFault = {
  blocks: false,
  message: 'the token of a community posts text only: VK refuses its photos',
  remedy: 'take the token of a user who administers the community, with the rights wall and photos',
};

const ofAnother: PostingFault = {
  blocks: true,
  message: 'the token is of another community, and such a token posts on its own wall only',
  remedy: textOnly.remedy,
};

function missing({ ownerId }: Target): ChatInspection {
  return { ok: false, error: sendError('chat_not_found', `VK knows no owner ${ownerId}`) };
}

function failed({ error }: { readonly error: SendError }): Extract<ChatInspection, { ok: false }> {
  return { ok: false, error: asRead(error) };
}
