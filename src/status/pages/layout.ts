// The frame of every page.

import { assets } from '../assets.ts';
import { type Html, html, plain } from '../html.ts';

export interface Frame {
  readonly title: string;
  /** Between the name and the end of the header. */
  readonly header?: Html | undefined;
  /** Where live.js finds what changes; undefined: nothing does. */
  readonly live?: { readonly url: Html; readonly version: string } | undefined;
}

export function layout({ title, header, live }: Frame, body: Html): string {
  const { style, script, icon } = assets;
  const stream =
    live === undefined
      ? undefined
      : html` data-live="${live.url}" data-version="${plain(live.version)}"`;
  const page = html`<!doctype html>
<html lang="en"${stream}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${plain(style.url)}">
<link rel="icon" href="${plain(icon.url)}" type="image/svg+xml">
${live === undefined ? undefined : html`<script src="${plain(script.url)}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><p class="name"><a href="/status">Outrider</a></p>${header}</header>
<main id="main" tabindex="-1">
${body}
</main>
${live === undefined ? undefined : html`<p id="spoken" class="unseen" role="status"></p>`}
</body>
</html>
`;
  return page.text;
}
