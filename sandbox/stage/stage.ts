// The stage: one page with all chats, where a person posts, talks to bots, and switches faults and the clock. Whoever
// reaches it may look; changes need its token.

import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnsweredCall } from '../answered-call.ts';
import { faultInWords } from '../refused-order.ts';
import type { SandboxRequest } from '../simulator.ts';
import { drawPicture } from '../vk/picture.ts';
import { actOf } from './acts.ts';
import { createListeners } from './listeners.ts';
import type { StagedOutrider } from './outrider.ts';
import { chatPage, methodsPage, refusedPage, stagePage } from './page.ts';
import { drawParts } from './parts.ts';
import { stageScript } from './script.ts';
import { createState, keepCall, type StageOptions } from './state.ts';
import { stageStyles } from './styles.ts';
import { hasToken, isFromElsewhere, isToken, tokenCookie } from './token.ts';

export interface Stage {
  /** Gives the page a form to post with, and what became of posts. */
  connect(outrider: StagedOutrider): void;
  /** Where the page and its sample photos are. */
  listensAt(url: string): void;
  /** A platform was called. */
  noteCall(call: AnsweredCall): void;
  /** Something may have changed: open pages are told. */
  changed(): void;
  /** Answers what belongs to the stage; false for everything else. */
  respond(request: SandboxRequest, response: ServerResponse): Promise<boolean>;
  close(): void;
}

/** Open pages are told at most this often. */
const pauseMs = 60;
/** How often we look for changes that nobody announces: of the clock, and of deliveries. */
const lookMs = 1000;
/** How long a page waits for what became of posts. */
const patienceMs = 1000;

export function newToken(): string {
  return randomBytes(18).toString('base64url');
}

export function createStage(options: StageOptions): Stage {
  const state = createState(options);
  const listeners = createListeners((mayAct) => drawParts(state, mayAct));
  let waiting: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  let asking: Promise<void> | undefined;
  let isClosed = false;

  /** A database that is slow or away delays the posts, and nothing else. */
  function refresh(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function ask(): Promise<void> {
    const posts = await state.outrider?.recent().catch(() => undefined);
    if (posts === undefined) return;
    state.posts = posts;
    listeners.tell();
  }

  function changed(): void {
    if (waiting !== undefined || isClosed || listeners.count === 0) return;
    waiting = setTimeout(() => {
      waiting = undefined;
      listeners.tell();
      void refresh();
    }, pauseMs);
    waiting.unref();
  }

  function watch(): void {
    looking ??= setInterval(() => {
      if (listeners.count > 0) return changed();
      clearInterval(looking);
      looking = undefined;
    }, lookMs).unref();
  }

  async function act(request: SandboxRequest, response: ServerResponse): Promise<void> {
    const wantsPage = (request.headers['accept'] ?? '').includes('text/html');
    const fault = whyNot(request);
    if (fault !== undefined) {
      if (wantsPage) send(response, 403, html, refusedPage(state, fault));
      else send(response, 403, json, JSON.stringify({ error: fault }));
      return;
    }
    const doIt = actOf(request.path.slice('/stage/'.length));
    try {
      const said = await doIt?.(state, request.form);
      state.said = said ?? { words: `There is no ${request.path} here.`, isGood: false };
    } catch (error) {
      state.said = { words: faultInWords(error), isGood: false };
    }
    changed();
    const { words, isGood } = state.said;
    if (wantsPage) send(response, 303, { ...text, location: '/' }, '');
    else
      send(
        response,
        isGood ? 200 : 400,
        json,
        JSON.stringify(isGood ? { words } : { error: words }),
      );
  }

  function whyNot(request: SandboxRequest): string | undefined {
    if (isFromElsewhere(request)) return 'This was sent by a page that is not of this sandbox.';
    if (hasToken(request, options.token)) return undefined;
    return 'Without the token of this sandbox the page can only be read: open the address that the terminal shows.';
  }

  async function show(request: SandboxRequest, response: ServerResponse): Promise<void> {
    const given = request.query.get('token');
    if (given !== null && isToken(given, options.token)) {
      const cookie = { 'set-cookie': tokenCookie(request, options.token) };
      return send(response, 303, { ...text, ...cookie, location: '/' }, '');
    }
    await Promise.race([refresh(), delay(patienceMs)]);
    const mayAct = hasToken(request, options.token);
    send(
      response,
      given === null ? 200 : 403,
      html,
      stagePage(state, { mayAct, hasWrongToken: given !== null }),
    );
  }

  return {
    connect(outrider) {
      state.outrider = outrider;
      changed();
    },
    listensAt(url) {
      state.url = url;
    },
    noteCall(call) {
      keepCall(state, call);
      changed();
    },
    changed,
    async respond(request, response) {
      const { path, method } = request;
      if (method === 'POST' && path.startsWith('/stage/')) await act(request, response);
      else if (method !== 'GET' && method !== 'HEAD') return false;
      else if (path === '/') await show(request, response);
      else if (path === '/stage/events') {
        response.writeHead(200, {
          ...secured,
          'content-type': 'text/event-stream',
          'cache-control': 'no-store',
        });
        listeners.add(response, hasToken(request, options.token));
        watch();
      } else if (path === '/stage/stage.css') send(response, 200, styles, stageStyles);
      else if (path === '/stage/stage.js') send(response, 200, script, stageScript);
      else if (path === '/methods' && wantsHtml(request))
        send(response, 200, html, methodsPage(state));
      else if (path.startsWith('/stage/photos/')) {
        const bytes = drawPicture(1280, 960, path);
        send(response, 200, { 'content-type': 'image/png' }, bytes);
      } else if (path.startsWith('/chats/') && wantsHtml(request)) {
        const page = chatPage(state, path);
        if (page === undefined) return false;
        send(response, 200, html, page);
      } else return false;
      return true;
    },
    close() {
      isClosed = true;
      clearTimeout(waiting);
      clearInterval(looking);
      listeners.close();
    },
  };
}

function wantsHtml({ headers }: SandboxRequest): boolean {
  return (headers['accept'] ?? '').includes('text/html');
}

/** The page shows what others wrote: nothing on it may run, load or be framed but what is ours. */
const secured = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // Browsers tell the origin of a form only with a policy that tells it to us.
  'referrer-policy': 'same-origin',
};
const html = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
const text = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
const json = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const styles = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' };
const script = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' };

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): void {
  response.writeHead(status, { ...secured, ...headers });
  response.end(body);
}
