// What scripted faults are matched by, and Telegram's words for them.

import type { Fault, SandboxReply, SandboxRequest } from '../simulator.ts';
import { kicked, upgraded } from './access.ts';
import { lookUpChat } from './chats.ts';
import { migrate } from './incoming.ts';
import { readParameters } from './parameters.ts';
import { Refusal, refusal, refusalReply, serverError, tooManyRequests } from './refusals.ts';
import { routeOf } from './routes.ts';
import type { World } from './world.ts';

export function describe(world: World, request: SandboxRequest): { method: string; chat?: string } {
  const route = routeOf(request.path);
  const name = readParameters(request)?.text('chat_id') ?? '';
  const chat = lookUpChat(world, name)?.id ?? name;
  return {
    method: route?.isFile === true ? 'file' : (route?.rest ?? request.path),
    ...(name !== '' && { chat: String(chat) }),
  };
}

export function refuse(
  world: World,
  fault: Fault,
  request: SandboxRequest,
): SandboxReply | undefined {
  const chat = lookUpChat(world, readParameters(request)?.text('chat_id') ?? '');
  if (fault.kind === 'rate_limited') {
    return refusalReply(tooManyRequests(Math.ceil(fault.retryAfter ?? 5)));
  }
  if (fault.kind === 'revoked') return refusalReply(new Refusal(401, 'Unauthorized'));
  if (fault.kind === 'server_error') return refusalReply(serverError(fault.status));
  if (fault.kind === 'kicked') {
    return refusalReply(chat === undefined ? refusal('chat not found') : kicked(chat));
  }
  if (fault.kind !== 'migrated' || chat === undefined || chat.type === 'private') return undefined;
  return refusalReply(upgraded(chat.migratedTo ?? migrate(world, chat).id));
}
