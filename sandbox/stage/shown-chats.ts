// The chats of the simulators as they are drawn on the stage.

import { drawChat } from '../drawing/chat.ts';
import type { DrawnAttachment, DrawnButton, DrawnMessage } from '../drawing/drawn-chat.ts';
import { escapeHtml } from '../drawing/escape.ts';
import type { ButtonView, ChatView, MediaView, PostView, Simulator } from '../simulator.ts';

export interface Drawing {
  /** How many of the newest messages are drawn. */
  readonly most: number;
  /** Whether the reader may write and press buttons. */
  readonly mayAct: boolean;
  readonly headingLevel: 2 | 3;
}

export function drawView(simulator: Simulator, view: ChatView, drawing: Drawing): string {
  const { platform, person } = simulator;
  const messages = joinAlbums(view.posts).map((posts) => messageOf(view, posts));
  const shown = messages.slice(-drawing.most);
  const left = messages.length - shown.length;
  const kind = view.kind ?? 'channel';
  const acts = drawing.mayAct && person !== undefined;
  const place = escapeHtml(`${platform}-${view.chat}`);
  return drawChat({
    platform,
    id: view.chat,
    title: view.title,
    kind: view.kind,
    subtitle: `${kind === 'dialog' ? 'dialog with the bot' : kind} ${view.chat}`,
    headingLevel: drawing.headingLevel,
    messages: left === 0 ? shown : [earlier(left), ...shown],
    ...(acts && { pressForm: `press-${platform}-${view.chat}` }),
    footer: acts ? drawForms(platform, view, place, kind === 'dialog') : '',
  });
}

/** The posts of one album are one message in the apps. */
function joinAlbums(posts: readonly PostView[]): PostView[][] {
  const joined: PostView[][] = [];
  for (const post of posts) {
    const last = joined.at(-1);
    const isMore = post.album !== undefined && last?.[0]?.album === post.album;
    if (isMore) last?.push(post);
    else joined.push([post]);
  }
  return joined;
}

function messageOf(view: ChatView, posts: readonly PostView[]): DrawnMessage {
  const first = posts[0];
  if (first === undefined) throw new Error('a message has no posts');
  const worded = posts.find(({ html }) => html !== '') ?? first;
  return {
    id: first.id,
    // In a channel the posts come from the channel.
    author: view.kind === 'channel' ? undefined : first.from,
    html: worded.html,
    attachments: posts.flatMap(({ media }) => media.map(attachmentOf)),
    buttons: posts.flatMap(({ buttons }) => buttons).map((row) => row.map(buttonOf)),
    replyTo: first.replyTo,
    time: first.sentAt,
    edited: posts.some(({ editedAt }) => editedAt !== undefined),
    pinned: first.pinned,
    own: first.byPerson,
  };
}

function earlier(count: number): DrawnMessage {
  const html = `${count} earlier ${count === 1 ? 'message' : 'messages'}`;
  return { id: 'earlier', service: true, html, attachments: [], buttons: [] };
}

function attachmentOf({ type, filename, url, size, sha256 }: MediaView): DrawnAttachment {
  const label = filename ?? url ?? type;
  return { kind: type, label, url, size, seed: sha256 ?? label };
}

function buttonOf({ text, url, payload }: ButtonView): DrawnButton {
  if (url !== undefined) return { text, kind: 'url', url };
  return { text, kind: payload === undefined ? 'other' : 'callback' };
}

/** The form that the buttons of a chat belong to, and in a dialog a field to write in. */
function drawForms(
  platform: string,
  { chat, title }: ChatView,
  place: string,
  canWrite: boolean,
): string {
  const where = `<input type="hidden" name="platform" value="${escapeHtml(platform)}"><input type="hidden" name="chat" value="${escapeHtml(chat)}">`;
  const press = `<form id="press-${place}" method="post" action="/stage/press" hidden>${where}</form>`;
  if (!canWrite) return press;
  const label = `Write to the bot as ${escapeHtml(title)}`;
  return `${press}<form class="composer" method="post" action="/stage/say" data-say="${place}">${where}<label class="unseen" for="say-${place}">${label}</label><input id="say-${place}" name="text" required autocomplete="off" placeholder="${label}"><button aria-label="Send"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 12l16-8-6 16-3-6z"/></svg></button></form>`;
}
