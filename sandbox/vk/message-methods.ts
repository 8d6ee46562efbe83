// messages.*

import { type Actor, actorId, type User } from './accounts.ts';
import { readAttachments } from './attachments.ts';
import { Refusal, wrongParameter } from './errors.ts';
import { type Call, secondsOf } from './world.ts';

/** messages.send: returns the id of the message; for a repeated random_id, the id of the first message. */
export function sendMessage({ world, actor, parameters }: Call): unknown {
  const peerId = parameters.integer('peer_id') ?? parameters.neededInteger('user_id');
  const randomId = parameters.neededInteger('random_id');
  const text = parameters.text('message')?.trim() ?? '';
  const attachments = readAttachments(parameters.list('attachment'), actor, world.album);
  const person = world.accounts.users.get(peerId);
  if (person === undefined) throw new Refusal(100, 'peer_id is incorrect');
  if (text === '' && attachments.length === 0) throw wrongParameter('message is empty or invalid');
  if (text.length > world.limits.message_length) throw new Refusal(914);
  const senderId = actorId(actor);
  const repeated = world.dialogues.repeated(senderId, peerId, randomId);
  if (repeated !== undefined) return repeated;
  mayWrite(actor, person);
  const date = secondsOf(world);
  return world.dialogues.add({ senderId, peerId, date, text, attachments }, randomId);
}

function mayWrite(actor: Actor, person: User): void {
  const senderId = actorId(actor);
  if (person.deactivated !== undefined) throw new Refusal(18);
  if (person.blacklist.has(senderId)) throw new Refusal(900);
  if (actor.kind === 'user') {
    if (person.messagePrivacy && person.id !== actor.user.id) throw new Refusal(902);
    return;
  }
  if (person.allowsMessagesFrom?.has(senderId) === false) throw new Refusal(901);
}
