// Messages between a sender and a person.

import type { Attachment } from './posts.ts';

export interface DirectMessage {
  readonly id: number;
  readonly senderId: number;
  readonly peerId: number;
  readonly date: number;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface Dialogues {
  all(): readonly DirectMessage[];
  /** The id of the message, if the sender already sent it to the peer. */
  repeated(senderId: number, peerId: number, randomId: number): number | undefined;
  add(message: Omit<DirectMessage, 'id'>, randomId: number): number;
}

export function createDialogues(): Dialogues {
  const messages: DirectMessage[] = [];
  const sent = new Map<string, number>();
  return {
    all: () => messages,
    repeated: (...key) => sent.get(key.join(' ')),
    add(message, randomId) {
      const id = messages.length + 1;
      messages.push({ ...message, id });
      // 0 means no protection against repeats.
      if (randomId !== 0) sent.set([message.senderId, message.peerId, randomId].join(' '), id);
      return id;
    },
  };
}
