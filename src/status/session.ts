// A session: a cookie that says until when somebody is signed in, signed with the token. So every process with the same token knows it,
// a new token ends all sessions, and the token itself is in no cookie. A browser sends the cookies of a machine to all of its ports, so
// the name tells the sessions of different tokens apart.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const lengthSeconds = 7 * 86_400;

/** Compares without telling by its time how much was right. */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The header that begins a session; `isSecure` where the browser came by HTTPS. */
export function beginning(token: string, nowMs: number, isSecure: boolean): string {
  const until = Math.floor(nowMs / 1000) + lengthSeconds;
  return cookie(token, `${until}.${signature(token, until)}`, lengthSeconds, isSecure);
}

/** The header that ends it in this browser. */
export function ending(token: string, isSecure: boolean): string {
  return cookie(token, '', 0, isSecure);
}

function cookie(token: string, value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${nameOf(token)}=${value}; Path=/status; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Whether the request carries a session of this token that is not over. */
export function hasSession(headers: IncomingHttpHeaders, token: string, nowMs: number): boolean {
  const own = nameOf(token);
  const value = cookiesOf(headers).find(([name]) => name === own)?.[1] ?? '';
  const [, until = '', given = ''] = /^(\d{1,12})\.([\w-]{43})$/.exec(value) ?? [];
  if (given === '' || Number(until) * 1000 <= nowMs) return false;
  return isSame(given, signature(token, Number(until)));
}

function cookiesOf({ cookie: header = '' }: IncomingHttpHeaders): (readonly [string, string])[] {
  return header.split(';').map((each) => {
    const [name = '', ...value] = each.split('=');
    return [name.trim(), value.join('=').trim()];
  });
}

function nameOf(token: string): string {
  return `outrider_status_${signed(token, 'outrider status').slice(0, 8)}`;
}

function signature(token: string, until: number): string {
  return signed(token, `outrider status until ${until}`);
}

function signed(token: string, words: string): string {
  return createHmac('sha256', token).update(words).digest('base64url');
}
