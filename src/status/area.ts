// The routes of the status page. All of them only read; signing in and out changes nothing but a cookie.

import { gzipSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { deliveryStatuses } from '../db/delivery-rows.ts';
import type { Workspace } from '../db/inspect.ts';
import {
  DatabaseAwayError,
  DatabaseBusyError,
  InvalidInputError,
  NotFoundError,
} from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import type { Area } from '../http/server.ts';
import type { Log } from '../log.ts';
import { type AccessOptions, createAccess } from './access.ts';
import { type Asset, assets } from './assets.ts';
import { createDrawings } from './drawings.ts';
import { html, htmlType } from './html.ts';
import { createLive } from './live.ts';
import { deliveriesPage } from './pages/deliveries.ts';
import { foundPage } from './pages/found.ts';
import type { HeaderOptions } from './pages/header.ts';
import { type Links, linksOf, type View } from './pages/links.ts';
import { overviewPage } from './pages/overview.ts';
import { postPage } from './pages/post.ts';
import { notePage } from './pages/sign-in.ts';
import { type ReadingOptions, readStatus } from './reading.ts';
import { createReadings } from './readings.ts';
import { createSearches } from './searches.ts';
import { refusalFor, signIn, signOut } from './sign-in.ts';
import { spanOf } from './span.ts';
import { visibleWorkspaces } from './workspaces.ts';

export interface StatusOptions extends AccessOptions, Omit<ReadingOptions, 'showsInstallation'> {
  readonly log: Log;
  readonly clock: Clock;
  /** The workspaces that may be seen; none named: all. */
  readonly workspaces: readonly string[];
  /** The one that is shown first. */
  readonly workspaceId: string | undefined;
  readonly everyMs?: number | undefined;
  /** The most browsers that are kept up to date at once; 100 unless given. */
  readonly mostViewers?: number | undefined;
}

/** As the field of the page takes it; of more, the beginning is looked for. */
const searchLength = 200;

const Query = z.object({
  workspace: z.string().max(200).optional().catch(undefined),
  span: z.string().optional().catch(undefined),
  channels: z.string().optional().catch(undefined),
  q: z
    .string()
    .transform((text) => text.slice(0, searchLength))
    .optional()
    .catch(undefined),
  version: z.string().optional().catch(undefined),
  status: z.coerce.string().optional(),
  channel: z.string().min(1).max(200).optional().catch(undefined),
  before: z.string().max(200).optional().catch(undefined),
});
const Params = z.object({ delivery: z.string().max(200) });

export function statusArea(options: StatusOptions): Area {
  const { client, log, clock } = options;
  const access = createAccess(options);
  const read = { ...options, showsInstallation: options.workspaces.length === 0 };
  const workspaces = visibleWorkspaces(client, options);
  const searches = createSearches({ client, now: options.now });

  return async (app, { stopping }) => {
    const readings = createReadings({
      read: (asked) => readStatus(read, asked),
      clock,
      log,
      everyMs: options.everyMs,
    });
    stopping.addEventListener('abort', () => readings.stop(), { once: true });
    const drawings = createDrawings();
    const live = createLive({
      readings,
      drawings,
      clock,
      most: options.mostViewers ?? 100,
      stopping,
    });

    app.setErrorHandler((error, _request, reply) => reply.answer(pageFor(error), error));
    app.addHook('onRequest', async (_request, reply) => void reply.headers(pageHeaders));
    for (const asset of Object.values(assets)) {
      app.get(asset.path, { config: { isProbe: true } }, (request, reply) =>
        reply.answer(assetAnswer(asset, request)),
      );
    }

    /** A page that only those who may see the status get. */
    function page(
      path: string,
      answer: (asked: AskedPage, request: FastifyRequest) => Promise<Answer>,
    ): void {
      app.get(path, async (request, reply) => {
        const refusal = await refusalFor(access, request);
        if (refusal !== undefined) return reply.answer(refusal);
        const query = Query.parse(request.query);
        const known = await workspaces.list();
        const workspaceId = workspaces.chosen(known, query.workspace);
        if (workspaceId === undefined) return reply.answer(noWorkspace(known, query.workspace));
        const view = { workspaceId, span: spanOf(query.span), all: query.channels === 'all' };
        const header = { workspaces: known, workspaceId, canLeave: access.takesToken };
        return reply.answer(await answer({ view, header, query }, request));
      });
    }

    page('/status', async ({ view, header }, request) => {
      const seen = await readings.latest(view);
      const sections = drawings.of(seen, view);
      const status = seen.trouble === undefined ? 200 : 503;
      return pageAnswer(overviewPage({ ...seen, sections }, view, header), request, status);
    });
    page('/status/posts', async ({ view, header, query }, request) => {
      const found = await searches.find(view.workspaceId, query.q ?? '');
      return pageAnswer(foundPage(found, linksOf(view), header), request);
    });
    page('/status/deliveries', async ({ view, header, query }, request) => {
      const { channel: channelId, before } = query;
      const status = deliveryStatuses.find((each) => each === query.status);
      // The form sends an empty state when all states are asked for.
      if (status === undefined && query.status) return noState(linksOf(view));
      const listed = await searches.list(view.workspaceId, { status, channelId, before });
      const own = { ...header, workspaceId: view.workspaceId };
      return pageAnswer(deliveriesPage(listed, linksOf(view), own), request);
    });
    page('/status/posts/:delivery', async ({ view, header }, request) => {
      const { delivery } = Params.parse(request.params);
      const post = await searches.post(view.workspaceId, delivery);
      return pageAnswer(postPage(post, linksOf(view), header), request);
    });

    app.get('/status/live', { exposeHeadRoute: false }, async (request, reply) => {
      const refusal = await refusalFor(access, request);
      if (refusal !== undefined) return reply.answer({ status: refusal.status, body: '' });
      const query = Query.parse(request.query);
      const workspaceId = workspaces.chosen(await workspaces.list(), query.workspace);
      if (workspaceId === undefined) return reply.answer({ status: 404, body: '' });
      const isShown = live.show({
        response: reply.raw,
        view: { workspaceId, span: spanOf(query.span), all: query.channels === 'all' },
        version: query.version,
        isAdmitted: async () => (await access.admit(request.raw)) === 'admitted',
      });
      if (isShown) return reply.hijack();
      return reply.answer({ status: 503, body: '', headers: { 'retry-after': '60' } });
    });

    app.post('/status/login', async (request, reply) => {
      return reply.answer(await signIn(access, request, reply));
    });
    app.post('/status/logout', async (request, reply) => {
      return reply.answer(await signOut(access, request));
    });
  };
}

interface AskedPage {
  readonly view: View;
  readonly header: HeaderOptions;
  readonly query: z.output<typeof Query>;
}

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

function pageAnswer(text: string, request: FastifyRequest, status = 200): Answer {
  return packed({ status, body: text, headers: htmlType }, request);
}

function packed(
  answer: Answer & { readonly body: string | Buffer },
  request: FastifyRequest,
): Answer {
  const takes = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const headers = { ...answer.headers, vary: 'accept-encoding' };
  if (!takes) return { ...answer, headers };
  return {
    ...answer,
    body: gzipSync(answer.body),
    headers: { ...headers, 'content-encoding': 'gzip' },
  };
}

function assetAnswer({ bytes, type }: Asset, request: FastifyRequest): Answer {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' };
  return packed({ status: 200, body: bytes, headers }, request);
}

function noWorkspace(known: readonly Workspace[], asked: string | undefined): Answer {
  if (asked !== undefined && known.length > 0) {
    const body = notePage(
      'There is no such workspace',
      html`<a href="/status">Go to the status page</a> and choose one.`,
    );
    return { status: 404, body, headers: htmlType };
  }
  const body = notePage(
    'There is no workspace yet',
    html`Write a file that says where posts come in and where they go, and apply it: <code>outrider apply workspace.yaml</code>`,
  );
  return { status: 200, body, headers: htmlType };
}

function noState(links: Links): Answer {
  const body = notePage(
    'There is no such state',
    html`A delivery is ${deliveryStatuses.join(', ')}. <a href="${links.deliveries({})}">Go to all deliveries</a> and choose one.`,
  );
  return { status: 404, body, headers: htmlType };
}

/** The page for a request whose handler threw. It tells nothing about our internals. */
function pageFor(error: unknown): Answer {
  if (error instanceof NotFoundError || error instanceof InvalidInputError) {
    const words = html`It may have been deleted since. <a href="/status">Go to the status page.</a>`;
    return { status: 404, body: notePage('That is not there', words), headers: htmlType };
  }
  const isAway = error instanceof DatabaseAwayError || error instanceof DatabaseBusyError;
  if (isAway) {
    const words = html`What is going on cannot be read meanwhile. Outrider goes on by itself when the database is back; <a href="/status">try again</a> then.`;
    return {
      status: 503,
      body: notePage('The database does not answer', words),
      headers: { ...htmlType, 'retry-after': '5' },
    };
  }
  const words = html`It has been logged. <a href="/status">Try again.</a>`;
  return { status: 500, body: notePage('Something went wrong here', words), headers: htmlType };
}
