// Who may see the status page, and what the others see; signing in and out.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import type { Access } from './access.ts';
import { html, htmlType } from './html.ts';
import { loginPage, notePage, offPage } from './pages/sign-in.ts';
import { beginning, ending } from './session.ts';

/** Undefined when the request may go on. */
export async function refusalFor(
  access: Access,
  request: FastifyRequest,
): Promise<Answer | undefined> {
  const admission = await access.admit(request.raw);
  switch (admission) {
    case 'admitted':
      return undefined;
    case 'off':
      return { status: 404, body: offPage, headers: htmlType };
    case 'refused':
      return { status: 403, body: refusedPage, headers: htmlType };
    case 'unreadable':
      return { status: 503, body: unreadablePage, headers: { ...htmlType, 'retry-after': '60' } };
    case 'login':
      return asksForToken(request);
    default:
      return admission satisfies never;
  }
}

function asksForToken(request: FastifyRequest): Answer {
  const next = ownPath(request.url);
  const body = loginPage({ next, isFromElsewhere: isFromElsewhere(request) });
  return { status: 401, body, headers: htmlType };
}

const refusedPage = notePage(
  'You may not see this',
  html`The status page is shown to people whom a proxy has signed in, or on the machine that it runs on. Ask for it there.`,
);

const unreadablePage = notePage(
  'The token cannot be checked',
  html`Where the token of the status page should be, it cannot be read. The log of Outrider says why.`,
);

const maxFormBytes = 10_000;
const patience = { totalMs: 10_000, silenceMs: 5000 };

export async function signIn(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  if (!access.takesToken) return { status: 404, body: offPage, headers: htmlType };
  if (isFromElsewhere(request)) return fromElsewhere();
  const incoming = { raw: request.raw, response: reply.raw, holdBytes: () => undefined };
  const body = await readBody(incoming, maxFormBytes, patience);
  const form = new URLSearchParams(body.ok ? body.bytes.toString('utf8') : '');
  const next = ownPath(form.get('next') ?? '');
  const checked = await access.checkToken((form.get('token') ?? '').trim());
  if (checked === 'unreadable') return { status: 503, body: unreadablePage, headers: htmlType };
  if (checked === 'wrong') {
    const fault = 'This is not the token of the status page.';
    return {
      status: 401,
      body: loginPage({ next, fault, isFromElsewhere: false }),
      headers: htmlType,
    };
  }
  const cookie = beginning(checked.token, Date.now(), isSecure(request));
  return { status: 303, body: '', headers: { 'set-cookie': cookie, location: next } };
}

export async function signOut(access: Access, request: FastifyRequest): Promise<Answer> {
  if (!access.takesToken) return { status: 404, body: offPage, headers: htmlType };
  if (isFromElsewhere(request)) return fromElsewhere();
  const token = await access.readToken();
  if (token === undefined) return { status: 503, body: unreadablePage, headers: htmlType };
  const cookie = ending(token, isSecure(request));
  return { status: 303, body: '', headers: { 'set-cookie': cookie, location: '/status' } };
}

/** The path to go to if it is one of ours; otherwise the page itself. */
function ownPath(given: string): string {
  return /^\/status(?:\/(?:posts|deliveries)[\w%./-]*)?(?:\?[\w%.~!*+=&-]*)?$/.test(given)
    ? given
    : '/status';
}

/** Another site has sent the browser here. */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function fromElsewhere(): Answer {
  const words = html`Another site has sent this form. <a href="/status">Go to the status page</a> and try again.`;
  return { status: 403, body: notePage('This form came from elsewhere', words), headers: htmlType };
}

/** Whether the browser came by HTTPS, as a proxy says. A browser that says so falsely only keeps itself from getting the cookie. */
function isSecure({ headers }: FastifyRequest): boolean {
  return headers['x-forwarded-proto'] === 'https';
}
