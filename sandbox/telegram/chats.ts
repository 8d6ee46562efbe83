// Chats by the name that a call gives them: a number, or a public name behind an @.

import { leadingInteger } from './parameters.ts';
import { addChat, type Chat, type ChatType, type World } from './world.ts';

export function lookUpChat(world: World, name: string): Chat | undefined {
  if (!name.startsWith('@')) return world.chats.get(leadingInteger(name));
  const username = name.slice(1).toLowerCase();
  return [...world.chats.values()].find((chat) => chat.username?.toLowerCase() === username);
}

/** As `lookUpChat`. A sandbox that makes chats makes one for every name that a chat can have. */
export function meetChat(world: World, name: string): Chat | undefined {
  const known = lookUpChat(world, name);
  if (known !== undefined || !world.makesChats) return known;
  if (/^@[a-z]\w{3,31}$/i.test(name)) {
    const username = name.slice(1);
    const id = -1_002_000_000_000 - world.nextSerial();
    return addChat(world, { id, type: 'channel', title: username, username });
  }
  const id = leadingInteger(name);
  if (id === 0) return undefined;
  const type = typeOf(id);
  const named = type === 'private' ? { firstName: `User ${id}` } : { title: `Chat ${id}` };
  return addChat(world, { id, type, ...named });
}

/** The number tells the type. Where it may be a supergroup or a channel, a channel. */
function typeOf(id: number): ChatType {
  if (id > 0) return 'private';
  return id > -1_000_000_000_000 ? 'group' : 'channel';
}
