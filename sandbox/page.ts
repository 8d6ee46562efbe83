// What a chat looks like to a person: plain pages without scripts. Everything that came from outside
// is escaped here, except `PostView.html`, which the simulator has made safe.

import type { ChatView, MediaView, Platform, PostView } from './simulator.ts';

const style = `
  body { margin: 0; background: #e7ebf0; color: #1c2733; font: 15px/1.45 system-ui, sans-serif; }
  header { position: sticky; top: 0; padding: .7rem 1rem; background: #fff; border-bottom: 1px solid #d5dbe3; }
  header a { color: inherit; text-decoration: none; }
  h1 { margin: 0; font-size: 1.05rem; }
  h2 { margin: 1.5rem 0 .5rem; font-size: .9rem; text-transform: uppercase; color: #5b6b7c; }
  main { max-width: 42rem; margin: 0 auto; padding: 1rem; }
  small { color: #6b7a8a; }
  article { margin: 0 0 .6rem; padding: .6rem .8rem; border-radius: .8rem; background: #fff; overflow-wrap: anywhere; }
  .text { white-space: pre-wrap; }
  .media { display: inline-block; margin: 0 .4rem .4rem 0; padding: .5rem .7rem; border-radius: .5rem; background: #eef2f6; }
  .row { display: flex; gap: .4rem; margin-top: .4rem; }
  .row > * { flex: 1; padding: .4rem; border-radius: .5rem; background: #e3eefb; color: #1d5fa8; text-align: center; text-decoration: none; }
  ul { list-style: none; padding: 0; }
  li a { display: block; padding: .6rem .8rem; margin-bottom: .4rem; border-radius: .8rem; background: #fff; color: inherit; text-decoration: none; }
`;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The address for an href; undefined when a click on it could run something. */
export function safeHref(url: string): string | undefined {
  return /^(https?|tg|mailto|tel):/i.test(url) ? escapeHtml(url) : undefined;
}

export function indexPage(
  shown: readonly { readonly platform: Platform; readonly chats: readonly ChatView[] }[],
): string {
  const lists = shown.map(({ platform, chats }) => {
    const entries = chats.map((chat) => {
      const href = `/chats/${platform}/${encodeURIComponent(chat.chat)}`;
      const count = chat.posts.length === 1 ? '1 post' : `${chat.posts.length} posts`;
      return `<li><a href="${escapeHtml(href)}">${escapeHtml(chat.title)} <small>${count}</small></a></li>`;
    });
    return `<h2>${platform}</h2><ul>${entries.join('') || '<li>No chat yet.</li>'}</ul>`;
  });
  return page('Sandbox', lists.join(''));
}

export function chatPage(chat: ChatView): string {
  return page(chat.title, chat.posts.map(article).join('') || '<p>Nothing here yet.</p>');
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><header><h1><a href="/">‹</a> ${escapeHtml(title)}</h1></header><main>${content}</main></body>
</html>
`;
}

function article(post: PostView): string {
  const media = post.media.map(medium).join('');
  const text = post.html === '' ? '' : `<div class="text">${post.html}</div>`;
  const rows = post.buttons.map((row) => `<div class="row">${row.map(button).join('')}</div>`);
  const edited = post.editedAt === undefined ? '' : ', edited';
  const album = post.album === undefined ? '' : `, album ${escapeHtml(post.album)}`;
  const line = `<small>${escapeHtml(post.id)}, ${escapeHtml(post.sentAt)}${edited}${album}</small>`;
  const from = post.from === undefined ? '' : `<strong>${escapeHtml(post.from)}</strong><br>`;
  return `<article>${from}${media}${text}${rows.join('')}${line}</article>`;
}

function medium(media: MediaView): string {
  const name = media.filename ?? media.url ?? '';
  const size = media.size === undefined ? '' : ` <small>${media.size} bytes</small>`;
  return `<span class="media">${escapeHtml(media.type)} ${escapeHtml(name)}${size}</span>`;
}

function button({ text, url }: { readonly text: string; readonly url?: string }): string {
  const href = url === undefined ? undefined : safeHref(url);
  if (href === undefined) return `<span>${escapeHtml(text)}</span>`;
  return `<a href="${href}" rel="noreferrer">${escapeHtml(text)}</a>`;
}
