// The pages of those who do not see the status: signing in, being refused, a page that is off, something that is not there.

import { type Html, html, plain } from '../html.ts';
import { layout } from './layout.ts';

export interface LoginPage {
  /** Where to go afterwards; a path of ours. */
  readonly next: string;
  /** What was wrong with the last try. */
  readonly fault?: string | undefined;
  /** Whether somebody followed a link from elsewhere: the browser keeps the cookie back then. */
  readonly isFromElsewhere: boolean;
}

export function loginPage({ next, fault, isFromElsewhere }: LoginPage): string {
  return layout(
    { title: 'Sign in: Outrider' },
    html`<div class="notice"><h1>Sign in</h1>
${fault === undefined ? undefined : html`<p class="trouble" role="alert" id="fault">${fault}</p>`}
${isFromElsewhere ? html`<p><a href="${plain(next)}">You have signed in already? Go on.</a></p>` : undefined}
<form method="post" action="/status/login">
<input type="hidden" name="next" value="${plain(next)}">
<label for="token">Token of the status page</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus${fault === undefined ? undefined : html` aria-invalid="true" aria-describedby="fault"`}>
<button>Sign in</button>
</form>
<p class="empty">It is the secret that OUTRIDER_STATUS_TOKEN_REF names.</p></div>`,
  );
}

export function notePage(title: string, ...paragraphs: readonly Html[]): string {
  return layout(
    { title: `${title}: Outrider` },
    html`<div class="notice"><h1>${title}</h1>${paragraphs.map((each) => html`<p>${each}</p>`)}</div>`,
  );
}

export const offPage = notePage(
  'The status page is off',
  html`Set <code>OUTRIDER_STATUS_TOKEN_REF</code> to where its token is, <code>env:NAME</code> or <code>file:PATH</code>, and start Outrider again. Behind a proxy that signs people in, <code>OUTRIDER_STATUS_PROXIES</code> takes its place.`,
  html`On your own machine, <code>OUTRIDER_STATUS_OPEN=true</code> needs no token.`,
);
