// Who writes to bots and presses buttons on the stage.

import type { ActingPerson } from '../simulator.ts';
import { pressButton, writeAsUser } from './acts.ts';
import type { Events } from './events.ts';
import { addUser } from './population.ts';
import { partnerOf, type World } from './world.ts';

/** Acts in chats that are no dialog. */
const somebody = { user_id: 777_001, first_name: 'Somebody' };

export function createPerson(world: World, events: Events): ActingPerson {
  function actorIn(chat: string): { readonly chat_id: number; readonly user_id: number } {
    const found = world.chats.get(Number(chat));
    if (found === undefined) throw new Error(`There is no chat ${chat}.`);
    const partner = found.type === 'dialog' ? partnerOf(world, found) : undefined;
    if (partner === undefined && !world.users.has(somebody.user_id)) addUser(world, somebody);
    return { chat_id: found.chatId, user_id: partner?.userId ?? somebody.user_id };
  }

  return {
    say: (chat, text) => void writeAsUser(world, events, { ...actorIn(chat), text }),
    press(chat, post, payload) {
      const { user_id } = actorIn(chat);
      pressButton(world, events, { message_id: post, user_id, payload });
    },
  };
}
