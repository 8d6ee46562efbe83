// The control API: scripts faults, moves the clock, shows the chats, passes orders to a simulator.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Clock, MovableClock } from './clock.ts';
import { readFaults } from './fault-orders.ts';
import type { FaultScript } from './faults.ts';
import { chatPage, indexPage, methodsPage } from './page.ts';
import { faultInWords } from './refused-order.ts';
import { readRequest } from './request.ts';
import { closeServer, isAskedHere, listen } from './server.ts';
import type { ChatView, Fault, PostView, SandboxRequest, Simulator } from './simulator.ts';

export interface ControlOptions {
  readonly simulators: readonly Simulator[];
  readonly clock: Clock;
  readonly faults: FaultScript;
  readonly port?: number | undefined;
}

interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly page?: string;
}

const ClockBody = z.strictObject({ advance_ms: z.int().nonnegative() });

export async function startControl(
  options: ControlOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((message, response) => {
    respond(options, message, response).catch(() => response.destroy());
  });
  const url = await listen(server, options.port);
  return { url, close: () => closeServer(server) };
}

async function respond(
  options: ControlOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = await answer(options, message).catch(
    (error: unknown): Answer => ({ status: 400, json: { error: faultInWords(error) } }),
  );
  response.writeHead(reply.status, {
    'content-type': reply.page === undefined ? 'application/json' : 'text/html; charset=utf-8',
    // The page shows what others wrote, so nothing on it may run or load.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  });
  response.end(reply.page ?? JSON.stringify(reply.json ?? null));
}

async function answer(options: ControlOptions, message: IncomingMessage): Promise<Answer> {
  if (!isAskedHere(message)) return { status: 421, json: { error: 'This is not localhost.' } };
  const read = await readRequest(message);
  if ('fault' in read) return { status: read.fault.status, json: { error: read.fault.what } };
  const { request } = read;
  const [area = '', ...rest] = request.path.split('/').slice(1);
  switch (`${request.method} ${area}`) {
    case 'GET faults':
      return { status: 200, json: options.faults.list().map(faultJson) };
    case 'POST faults':
      for (const fault of readFaults(bodyOf(request))) options.faults.add(fault);
      return { status: 200, json: options.faults.list().map(faultJson) };
    case 'DELETE faults':
      options.faults.clear();
      return { status: 200, json: [] };
    case 'GET clock':
      return { status: 200, json: { now: new Date(options.clock.now()).toISOString() } };
    case 'POST clock':
      return moveClock(options.clock, ClockBody.parse(bodyOf(request)).advance_ms);
    case 'GET ':
    case 'GET chats':
      return showChats(options.simulators, rest, wantsPage(request) || area === '');
    case 'GET methods':
      return showMethods(options.simulators, wantsPage(request));
    case 'POST control':
      return order(options.simulators, rest, bodyOf(request));
    default:
      return nothingThere(request);
  }
}

function bodyOf(request: SandboxRequest): unknown {
  if (request.raw.length > 0) throw new Error('The body is not JSON.');
  return request.json ?? {};
}

function moveClock(clock: Clock, ms: number): Answer {
  if (!isMovable(clock)) {
    return { status: 409, json: { error: 'The clock of this sandbox runs with the machine.' } };
  }
  clock.advance(ms);
  return { status: 200, json: { now: new Date(clock.now()).toISOString() } };
}

function isMovable(clock: Clock): clock is MovableClock {
  return 'advance' in clock;
}

function wantsPage(request: SandboxRequest): boolean {
  return (request.headers['accept'] ?? '').includes('text/html');
}

function showChats(
  simulators: readonly Simulator[],
  [platform, ...id]: readonly string[],
  page: boolean,
): Answer {
  if (platform !== undefined && !simulators.some((each) => each.platform === platform)) {
    return noPlatform(simulators, platform);
  }
  const shown = simulators
    .filter((simulator) => platform === undefined || simulator.platform === platform)
    .map((simulator) => ({ platform: simulator.platform, chats: simulator.chats() }));
  if (id.length === 0) {
    if (page) return { status: 200, page: indexPage(shown) };
    const json = shown.map(({ platform: name, chats }) => [name, chats.map(chatJson)] as const);
    return { status: 200, json: Object.fromEntries(json) };
  }
  const [found] = shown.flatMap(({ platform: name, chats }) =>
    chats.filter((each) => each.chat === id.join('/')).map((chat) => ({ name, chat })),
  );
  if (found === undefined) return { status: 404, json: { error: 'There is no such chat.' } };
  const { name, chat } = found;
  return page ? { status: 200, page: chatPage(name, chat) } : { status: 200, json: chatJson(chat) };
}

function showMethods(simulators: readonly Simulator[], page: boolean): Answer {
  if (page) return { status: 200, page: methodsPage(simulators) };
  const methods = simulators.map(({ platform, methods: names }) => [platform, names] as const);
  return { status: 200, json: Object.fromEntries(methods) };
}

function order(
  simulators: readonly Simulator[],
  [platform, ...name]: readonly string[],
  body: unknown,
): Answer {
  const simulator = simulators.find((each) => each.platform === platform);
  if (simulator === undefined) return noPlatform(simulators, platform);
  return { status: 200, json: simulator.control(name.join('/'), body) };
}

function noPlatform(simulators: readonly Simulator[], named = ''): Answer {
  const there = simulators.map(({ platform }) => platform).join(', ');
  return {
    status: 404,
    json: { error: `There is no platform ${JSON.stringify(named)} here; there are ${there}.` },
  };
}

function nothingThere(request: SandboxRequest): Answer {
  return { status: 404, json: { error: `There is no ${request.method} ${request.path} here.` } };
}

function faultJson({ retryAfter, ...rest }: Fault): object {
  return { ...rest, retry_after: retryAfter };
}

function chatJson({ posts, ...chat }: ChatView): object {
  return { ...chat, posts: posts.map(postJson) };
}

function postJson({ sentAt, editedAt, ...post }: PostView): object {
  return { ...post, sent_at: sentAt, edited_at: editedAt };
}
