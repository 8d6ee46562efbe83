// Finds the method of a call by its path and verb.

import type { Method } from './call.ts';
import {
  getAdmins,
  getChat,
  getMe,
  getMembers,
  getMembership,
  getPinned,
  leaveChat,
  patchChat,
  pinMessage,
  sendAction,
  setCommands,
  unpinMessage,
} from './chat-methods.ts';
import { getSubscriptions, getUpdates, subscribe, unsubscribe } from './event-methods.ts';
import {
  answerCallback,
  deleteMessage,
  editMessage,
  getMessage,
  getMessages,
  sendMessage,
} from './message-methods.ts';
import { createUpload, getVideo } from './uploads.ts';

type Verbs = Readonly<Partial<Record<string, Method>>>;

/** GET /chats is gone since 2026. A literal name comes before a named part. */
const routes: Readonly<Record<string, Verbs>> = {
  '/me': { GET: getMe },
  '/me/commands': { PATCH: setCommands },
  '/messages': { GET: getMessages, POST: sendMessage, PUT: editMessage, DELETE: deleteMessage },
  '/messages/{messageId}': { GET: getMessage },
  '/answers': { POST: answerCallback },
  '/uploads': { POST: createUpload },
  '/videos/{videoToken}': { GET: getVideo },
  '/subscriptions': { GET: getSubscriptions, POST: subscribe, DELETE: unsubscribe },
  '/updates': { GET: getUpdates },
  '/chats/{chatId}': { GET: getChat, PATCH: patchChat },
  '/chats/{chatId}/actions': { POST: sendAction },
  '/chats/{chatId}/pin': { GET: getPinned, PUT: pinMessage, DELETE: unpinMessage },
  '/chats/{chatId}/members': { GET: getMembers },
  '/chats/{chatId}/members/me': { GET: getMembership, DELETE: leaveChat },
  '/chats/{chatId}/members/admins': { GET: getAdmins },
};

export const simulatedMethods: readonly string[] = Object.entries(routes).flatMap(
  ([template, verbs]) => Object.keys(verbs).map((verb) => `${verb} ${template}`),
);

/** Calls that MAX has and the simulator does not. */
const others: Readonly<Record<string, readonly string[]>> = {
  '/chats/{chatId}': ['DELETE'],
  '/chats/{chatId}/members': ['POST', 'DELETE'],
  '/chats/{chatId}/members/admins': ['POST'],
  '/chats/{chatId}/members/admins/{userId}': ['DELETE'],
  '/messages/{messageId}/comments': ['GET', 'POST', 'PUT', 'DELETE'],
  '/messages/{messageId}/comments/{commentId}': ['GET'],
};

/** The name of the call, if MAX has it and the simulator does not. */
export function notSimulated(verb: string, path: string): string | undefined {
  const fits = ([template, verbs]: readonly [string, readonly string[]]) =>
    verbs.includes(verb) && partsOf(template, path) !== undefined;
  const template = Object.entries(others).find(fits)?.[0];
  return template === undefined ? undefined : `${verb} ${template}`;
}

export interface Route {
  readonly template: string;
  readonly verbs: Verbs;
  readonly parts: Readonly<Record<string, string>>;
}

export function routeOf(path: string): Route | undefined {
  for (const [template, verbs] of Object.entries(routes)) {
    const parts = partsOf(template, path);
    if (parts !== undefined) return { template, verbs, parts };
  }
  return undefined;
}

function partsOf(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith('{') && value !== '') parts[part.slice(1, -1)] = value;
    else if (part !== value) return undefined;
  }
  return parts;
}
