// Who may change things on the stage: whoever opened the printed address. Its token becomes a cookie, which scripts cannot
// read and which other sites cannot make the browser send. A page of another port of this machine is no other site to a
// cookie, so the origin of every change is looked at as well.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { SandboxRequest } from '../simulator.ts';

/** Cookies are shared between the ports of a host: the name keeps two sandboxes apart. */
function cookieName(host: string): string {
  return `outrider_stage_${/:(\d+)$/.exec(host)?.[1] ?? '80'}`;
}

export function tokenCookie(request: SandboxRequest, token: string): string {
  const name = cookieName(request.headers['host'] ?? '');
  return `${name}=${token}; Path=/; HttpOnly; SameSite=Strict`;
}

export function isToken(given: string | null | undefined, token: string): boolean {
  const [a, b] = [given ?? '', token].map((each) => createHash('sha256').update(each).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Whether the request brings the token, as a cookie or in its form. */
export function hasToken({ headers, form }: SandboxRequest, token: string): boolean {
  const name = cookieName(headers['host'] ?? '');
  const cookies = (headers['cookie'] ?? '').split(/[;,]/).map((each) => each.trim());
  const brought = cookies.filter((each) => each.startsWith(`${name}=`));
  const given = [form['token'], ...brought.map((each) => each.slice(name.length + 1))];
  return given.some((each) => isToken(each, token));
}

/** Whether a page other than ours has sent it. Browsers say so; programs say nothing, and need the token alone. */
export function isFromElsewhere({ headers }: SandboxRequest): boolean {
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`;
}
