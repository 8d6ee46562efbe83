// What a person sees in the chats.

import type { ButtonView, ChatView, PostView } from '../simulator.ts';
import type { Button } from './keyboard.ts';
import { renderMarked } from './markup.ts';
import { type Chat, fullName, type Message, partnerOf, personOf, type World } from './world.ts';

export function chatViews(world: World): ChatView[] {
  return [...world.chats.values()].map((chat) => ({
    chat: String(chat.chatId),
    title: titleOf(world, chat),
    kind: chat.type === 'chat' ? ('group' as const) : chat.type,
    posts: [...chat.posts.values()].map((message) => postView(world, chat, message)),
  }));
}

function titleOf(world: World, chat: Chat): string {
  const partner = chat.type === 'dialog' ? partnerOf(world, chat) : undefined;
  return partner === undefined ? chat.title : fullName(partner);
}

function postView(world: World, chat: Chat, message: Message): PostView {
  // A forward shows what it forwards.
  const shown = message.link?.type === 'forward' ? message.link.message : message;
  // Posts of a channel have no sender: they come from the channel.
  const sender = chat.type === 'channel' ? undefined : personOf(world, message.senderId);
  return {
    id: message.mid,
    ...(sender !== undefined && { from: fullName(sender) }),
    ...(chat.type === 'dialog' && sender?.isBot === false && { byPerson: true }),
    ...(message.link?.type === 'reply' && { replyTo: message.link.message.mid }),
    ...(chat.pinned === message.mid && { pinned: true }),
    text: shown.content.text,
    html: renderMarked(shown.content),
    media: shown.attachments.flatMap(({ media }) => media ?? []),
    buttons: (message.keyboard?.rows ?? []).map((row) => row.map(showButton)),
    sentAt: new Date(message.timestamp).toISOString(),
    ...(message.editedAt === undefined
      ? {}
      : { editedAt: new Date(message.editedAt).toISOString() }),
  };
}

function showButton(button: Button): ButtonView {
  const { text } = button;
  if (button.type === 'link') return { text, url: button.url };
  return button.type === 'callback' ? { text, payload: button.payload } : { text };
}
