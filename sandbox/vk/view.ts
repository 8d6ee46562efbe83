// What a person sees: the walls, and the messages that were sent.

import { escapeHtml } from '../drawing/escape.ts';
import { wholeAddress } from '../found-address.ts';
import type { ChatView, MediaView, PostView } from '../simulator.ts';
import { sizesOf } from './photos.ts';
import type { Attachment, Post } from './posts.ts';
import { addressesOf, type World } from './world.ts';

export function showChats(world: World): ChatView[] {
  return [...showWalls(world), ...showDialogues(world)];
}

/** Every community, and the people who have posts on their walls. */
function showWalls(world: World): ChatView[] {
  const { users, communities } = world.accounts;
  const written = [...users.keys()].filter((id) => world.walls.of(id).length > 0);
  const owners = [...written, ...[...communities.keys()].map((id) => -id)];
  return owners.map((ownerId) => ({
    chat: String(ownerId),
    title: titleOf(world, ownerId),
    kind: 'wall' as const,
    posts: world.walls
      .of(ownerId)
      .filter((post) => post.state === 'published')
      .toSorted((a, b) => a.date - b.date || a.id - b.id)
      .map((post) => showPost(world, post)),
  }));
}

function showPost(world: World, post: Post): PostView {
  const [original] = post.copyHistory;
  const words = [post.text, original?.text ?? ''].filter((each) => each !== '').join('\n\n');
  const attachments = [...post.attachments, ...(original?.attachments ?? [])];
  return {
    id: String(post.id),
    from: titleOf(world, post.fromId),
    ...(post.isPinned && { pinned: true }),
    ...showWords(words),
    media: attachments.map((each) => showMedia(world, each)),
    buttons: [],
    sentAt: timeOf(post.date),
    ...(post.edited === undefined ? {} : { editedAt: timeOf(post.edited) }),
  };
}

/** One chat for each sender and recipient: `im-200001_1001`. */
function showDialogues(world: World): ChatView[] {
  const chats = new Map<string, { title: string; posts: PostView[] }>();
  for (const message of world.dialogues.all()) {
    const { senderId, peerId } = message;
    const chat = `im${senderId}_${peerId}`;
    const title = `${titleOf(world, senderId)} → ${titleOf(world, peerId)}`;
    const shown = chats.get(chat) ?? { title, posts: [] };
    chats.set(chat, shown);
    shown.posts.push({
      id: String(message.id),
      from: titleOf(world, senderId),
      ...showWords(message.text),
      media: message.attachments.map((each) => showMedia(world, each)),
      buttons: [],
      sentAt: timeOf(message.date),
    });
  }
  return [...chats].map(([chat, shown]) => ({ chat, kind: 'dialog' as const, ...shown }));
}

function showMedia(world: World, attachment: Attachment): MediaView {
  if (attachment.kind === 'other') {
    const url = attachment.body['url'];
    return { type: attachment.type, ...(typeof url === 'string' ? { url } : {}) };
  }
  const { photo } = attachment;
  const largest = sizesOf(photo, addressesOf(world)).toSorted(
    (a, b) => b.width * b.height - a.width * a.height,
  )[0];
  return {
    type: 'photo',
    ...photo.file,
    ...(largest === undefined ? {} : { url: largest.url }),
  };
}

const marked =
  /\[((?:id|club|public)\d+)\|([^\]\n]+)\]|@((?:id|club|public)\d+) \(([^)\n]+)\)|https?:\/\/[^\s<>"]+/g;

/** Mentions show their name, and addresses are links; there is no other markup. */
function showWords(source: string): Pick<PostView, 'text' | 'html'> {
  let text = '';
  let html = '';
  let from = 0;
  for (const found of source.matchAll(marked)) {
    const [matched, bracketed, bracketedName, at, atName] = found;
    const before = source.slice(from, found.index);
    const who = bracketed ?? at;
    // Assumed: VK ends an address where Telegram does.
    const whole = who === undefined ? wholeAddress(matched) : matched;
    const words = bracketedName ?? atName ?? whole;
    text += before + words;
    html += escapeHtml(before) + anchor(who === undefined ? whole : `https://vk.com/${who}`, words);
    from = found.index + whole.length;
  }
  const rest = source.slice(from);
  return { text: text + rest, html: html + escapeHtml(rest) };
}

function anchor(url: string, words: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(words)}</a>`;
}

function titleOf(world: World, ownerId: number): string {
  const owner = world.accounts.owner(ownerId);
  if (owner === undefined) return String(ownerId);
  return owner.kind === 'user'
    ? `${owner.user.firstName} ${owner.user.lastName}`
    : owner.community.name;
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
