// Shows the chats to a person: plain pages without scripts, which the browser reloads by itself. Everything that came
// from outside is escaped here, except `PostView.html`, which the simulator has made safe.

import type { ChatView, MediaView, PostView } from './simulator.ts';

const style = `
  body { margin: 0; background: #e7ebf0; color: #1c2733; font: 15px/1.45 system-ui, sans-serif; }
  header { position: sticky; top: 0; padding: .7rem 1rem; background: #fff; border-bottom: 1px solid #d5dbe3; }
  header a { color: inherit; text-decoration: none; }
  h1 { margin: 0; font-size: 1.05rem; }
  h2 { margin: 1.5rem 0 .5rem; font-size: .9rem; text-transform: uppercase; color: #5b6b7c; }
  main { max-width: 42rem; margin: 0 auto; padding: 1rem; }
  small, footer, time { color: #6b7a8a; font-size: .85rem; font-weight: normal; }
  footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; margin-top: .3rem; }
  .newest { display: block; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
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

/** The address for an href; undefined when a click on it could run code. */
export function safeHref(url: string): string | undefined {
  return /^(https?|tg|mailto|tel):/i.test(url) ? escapeHtml(url) : undefined;
}

export interface Shown {
  readonly platform: string;
  readonly chats: readonly ChatView[];
}

export function indexPage(shown: readonly Shown[]): string {
  const lists = shown.map(({ platform, chats }) => {
    const entries = chats.map((chat) => entry(platform, chat)).join('');
    return `<h2>${platform}</h2><ul>${entries || '<li>No chat yet.</li>'}</ul>`;
  });
  const more = '<p><a href="/methods">What is simulated</a></p>';
  return page({ title: 'Chats', heading: 'Chats', refresh: true }, lists.join('') + more);
}

function entry(platform: string, { chat, title, posts }: ChatView): string {
  const href = escapeHtml(`/chats/${platform}/${encodeURIComponent(chat)}`);
  const count = posts.length === 1 ? '1 post' : `${posts.length} posts`;
  const newest = posts.at(-1);
  const line =
    newest === undefined
      ? ''
      : `<span class="newest">${time(newest.sentAt)} ${escapeHtml(gistOf(newest))}</span>`;
  return `<li><a href="${href}">${escapeHtml(title)} <small>${escapeHtml(chat)}, ${count}</small>${line}</a></li>`;
}

/** A post in one line. */
function gistOf({ text, media }: PostView): string {
  const words = text === '' ? media.map(({ type }) => type).join(', ') : text;
  return words.replaceAll(/\s+/g, ' ').slice(0, 120);
}

export function chatPage(platform: string, { chat, title, posts }: ChatView): string {
  const heading = `<a href="/">‹</a> ${escapeHtml(title)} <small>${platform} ${escapeHtml(chat)}</small>`;
  const articles = posts.map(article).join('') || '<p>Nothing here yet.</p>';
  return page({ title, heading, refresh: true }, articles);
}

export function methodsPage(
  shown: readonly { readonly platform: string; readonly methods: readonly string[] }[],
): string {
  const lists = shown.map(({ platform, methods }) => {
    const names = methods.map((name) => `<code>${escapeHtml(name)}</code>`);
    return `<h2>${platform}</h2><p>${names.join(', ')}</p>`;
  });
  const heading = '<a href="/">‹</a> What is simulated';
  return page({ title: 'What is simulated', heading, refresh: false }, lists.join(''));
}

/** `refresh`: the browser reloads the page by itself, so it shows what is new. */
function page(
  head: { readonly title: string; readonly heading: string; readonly refresh: boolean },
  content: string,
): string {
  const refresh = head.refresh ? '<meta http-equiv="refresh" content="2">' : '';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${refresh}
<title>${escapeHtml(head.title)}</title><style>${style}</style></head>
<body><header><h1>${head.heading}</h1></header><main>${content}</main></body>
</html>
`;
}

function article(post: PostView): string {
  const media = post.media.map(medium).join('');
  const text = post.html === '' ? '' : `<div class="text">${post.html}</div>`;
  const rows = post.buttons.map((row) => `<div class="row">${row.map(button).join('')}</div>`);
  const edited = post.editedAt === undefined ? '' : `, edited ${time(post.editedAt)}`;
  const album = post.album === undefined ? '' : `, album ${escapeHtml(post.album)}`;
  const number = `<span>message ${escapeHtml(post.id)}${album}</span>`;
  const line = `<footer><span>${time(post.sentAt)}${edited}</span>${number}</footer>`;
  const from = post.from === undefined ? '' : `<strong>${escapeHtml(post.from)}</strong><br>`;
  return `<article>${from}${media}${text}${rows.join('')}${line}</article>`;
}

const times = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** In the time zone of the machine, which is the reader's own. */
function time(iso: string): string {
  return `<time datetime="${escapeHtml(iso)}">${escapeHtml(times.format(new Date(iso)))}</time>`;
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
