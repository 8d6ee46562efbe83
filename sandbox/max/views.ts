// What a person sees in the chats.

import type { ChatView, PostView } from '../simulator.ts';
import { renderMarked } from './markup.ts';
import { type Chat, fullName, type Message, partnerOf, type World } from './world.ts';

export function chatViews(world: World): ChatView[] {
  return [...world.chats.values()].map((chat) => ({
    chat: String(chat.chatId),
    title: titleOf(world, chat),
    posts: [...chat.posts.values()].map(postView),
  }));
}

function titleOf(world: World, chat: Chat): string {
  const partner = chat.type === 'dialog' ? partnerOf(world, chat) : undefined;
  return partner === undefined ? chat.title : fullName(partner);
}

function postView(message: Message): PostView {
  // A forward shows what it forwards.
  const shown = message.link?.type === 'forward' ? message.link.message : message;
  return {
    id: message.mid,
    text: shown.content.text,
    html: renderMarked(shown.content),
    media: shown.attachments.flatMap(({ media }) => media ?? []),
    buttons: (message.keyboard?.rows ?? []).map((row) =>
      row.map((button) =>
        button.type === 'link' ? { text: button.text, url: button.url } : { text: button.text },
      ),
    ),
    sentAt: new Date(message.timestamp).toISOString(),
    ...(message.editedAt === undefined
      ? {}
      : { editedAt: new Date(message.editedAt).toISOString() }),
  };
}
