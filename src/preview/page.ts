// A preview as one page: each channel's chat, drawn as the app of its platform draws it, with what is wrong beneath.
// The page has no script and loads nothing.

import { chatStyles, type DrawnMessage, drawChat } from '../../sandbox/drawing/index.ts';
import type { ChannelPreview, Preview } from './preview.ts';
import { inOneBubble, type PreviewMessage } from './shown-parts.ts';
import type { Violation } from './violations.ts';

const styles = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; padding: 1.5rem; background: light-dark(#f4f5f7, #101214); color: light-dark(#1a1c1f, #e9ecef); }
  h1 { font-size: 1.25rem; margin: 0 0 .25rem; }
  .notes { margin: 0 0 1.5rem; padding: 0; list-style: none; }
  main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); align-items: start; }
  .channel > p { margin: .5rem 0 0; font-size: .9rem; }
  .wrong { color: light-dark(#a1121a, #ff8b8b); }
  .wrong pre { font: .85rem/1.4 ui-monospace, monospace; margin: .25rem 0 0; overflow-x: auto; }
`;

/** What is said of a channel beneath its chat. */
type InWords = (channel: ChannelPreview) => string;

export function previewPage(preview: Preview, now: Date, inWords: InWords): string {
  const title = 'Preview of a post';
  const made = now.toISOString();
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<style>${chatStyles}${styles}</style>
</head>
<body>
<h1>${title}</h1>
<ul class="notes"><li>Made at <time datetime="${made}">${made}</time>; nothing was sent.</li>${notesOf(preview)}</ul>
${preview.verdict === 'rejected' ? wrongs(preview.violations) : `<main>${preview.channels.map((channel) => drawChannel(channel, inWords(channel))).join('\n')}</main>`}
</body>
</html>
`;
}

function notesOf(preview: Preview): string {
  if (preview.verdict === 'rejected') return '<li>The post would be rejected.</li>';
  const came =
    preview.receivedAt === null ? [] : [`The post came already, at ${preview.receivedAt}.`];
  return [...came, ...preview.notes].map((note) => `<li>${escaped(note)}</li>`).join('');
}

function drawChannel(channel: ChannelPreview, words: string): string {
  const { channelId, platform, title, verdict, post } = channel;
  const messages = post?.parts.flatMap(inOneBubble).map(drawn) ?? [];
  const chat = drawChat({
    platform,
    title: title ?? channelId,
    subtitle: channelId,
    id: channelId,
    messages,
  });
  const length =
    post === null || post.length === null ? '' : `, ${post.length} of ${post.lengthMax} characters`;
  const violations = post?.violations ?? [];
  const said = violations.length > 0 || words === '' ? '' : `: ${words}`;
  const line = `<p>${escaped(`${verdict.replaceAll('_', ' ')}${said}${length}`)}</p>`;
  return `<div class="channel">${chat}${line}${wrongs(violations)}</div>`;
}

function drawn(message: PreviewMessage, index: number): DrawnMessage {
  return {
    id: String(index + 1),
    html: message.html,
    attachments: message.attachments.map(({ kind, label, url }) => ({ kind, label, url })),
    buttons: message.buttons.map((row) =>
      row.map(({ text, url }) => ({ text, kind: url === undefined ? 'callback' : 'url', url })),
    ),
  };
}

function wrongs(violations: readonly Violation[]): string {
  return violations
    .map(({ message, place }) => {
      const excerpt =
        place === null
          ? ''
          : `<pre>${escaped(place.excerpt)}\n${' '.repeat(place.excerptOffset)}^</pre>`;
      return `<div class="wrong">${escaped(message)}${excerpt}</div>`;
    })
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
