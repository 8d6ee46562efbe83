// The control API: scripts faults, moves the clock, shows the chats, passes orders to a simulator. The stage, for people, is
// at the same address.
//
// Orders need no token: they are JSON, which a web page of another site cannot send to us unasked.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Clock } from './clock.ts';
import { readFaults } from './fault-orders.ts';
import type { FaultScript } from './faults.ts';
import { faultInWords } from './refused-order.ts';
import { readRequest } from './request.ts';
import { closeServer, isAskedHere, listen } from './server.ts';
import type { ChatView, Fault, PostView, SandboxRequest, Simulator } from './simulator.ts';
import { isMovable } from './stage/acts.ts';
import type { Stage } from './stage/stage.ts';
import { isFromElsewhere } from './stage/token.ts';

export interface ControlOptions {
  readonly simulators: readonly Simulator[];
  readonly clock: Clock;
  readonly faults: FaultScript;
  readonly stage: Stage;
  readonly port?: number | undefined;
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

const ClockBody = z.strictObject({ advance_ms: z.int().nonnegative() });

export async function startControl(
  options: ControlOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((message, response) => {
    respond(options, message, response).catch(() => response.destroy());
  });
  const url = await listen(server, options.port);
  options.stage.listensAt(url);
  const close = () => {
    options.stage.close();
    return closeServer(server);
  };
  return { url, close };
}

async function respond(
  options: ControlOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = await answer(options, message, response).catch(
    (error: unknown): Answer => ({ status: 400, json: { error: faultInWords(error) } }),
  );
  if (reply === undefined) return;
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
  response.end(JSON.stringify(reply.json ?? null));
  options.stage.changed();
}

/** Undefined when the stage has answered. */
async function answer(
  options: ControlOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  if (!isAskedHere(message)) return { status: 421, json: { error: 'This is not localhost.' } };
  const read = await readRequest(message);
  if ('fault' in read) return { status: read.fault.status, json: { error: read.fault.what } };
  const { request } = read;
  if (await options.stage.respond(request, response)) return undefined;
  if (request.method !== 'GET' && isFromElsewhere(request)) {
    return { status: 403, json: { error: 'A page of another site gives no orders here.' } };
  }
  return obey(options, request);
}

function obey(options: ControlOptions, request: SandboxRequest): Answer {
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
    case 'GET chats':
      return showChats(options.simulators, rest);
    case 'GET methods':
      return showMethods(options.simulators);
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
    return { status: 409, json: { error: 'The clock of this sandbox cannot be moved.' } };
  }
  clock.advance(ms);
  return { status: 200, json: { now: new Date(clock.now()).toISOString() } };
}

function showChats(simulators: readonly Simulator[], [platform, ...id]: readonly string[]): Answer {
  if (platform !== undefined && !simulators.some((each) => each.platform === platform)) {
    return noPlatform(simulators, platform);
  }
  const shown = simulators
    .filter((simulator) => platform === undefined || simulator.platform === platform)
    .map((simulator) => ({ platform: simulator.platform, chats: simulator.chats() }));
  if (id.length === 0) {
    const json = shown.map(({ platform: name, chats }) => [name, chats.map(chatJson)] as const);
    return { status: 200, json: Object.fromEntries(json) };
  }
  const chat = shown.flatMap(({ chats }) => chats).find((each) => each.chat === id.join('/'));
  if (chat === undefined) return { status: 404, json: { error: 'There is no such chat.' } };
  return { status: 200, json: chatJson(chat) };
}

function showMethods(simulators: readonly Simulator[]): Answer {
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

function postJson({ sentAt, editedAt, replyTo, byPerson, ...post }: PostView): object {
  const times = { sent_at: sentAt, edited_at: editedAt };
  return { ...post, ...times, reply_to: replyTo, by_person: byPerson };
}
