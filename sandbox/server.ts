// One simulator on a socket: reads the request, plays the faults of the wire, writes the reply.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AnsweredCall, answeredCall } from './answered-call.ts';
import type { Clock } from './clock.ts';
import { createFaultScript, type FaultScript } from './faults.ts';
import { readRequest, readTarget } from './request.ts';
import type {
  CreateSimulator,
  Fault,
  ReaderFault,
  SandboxReply,
  SandboxRequest,
  Simulator,
} from './simulator.ts';
import { createWebhookCaller } from './webhook.ts';

const dripMs = 1000;

const gatewayPage = `<html>
<head><title>502 Bad Gateway</title></head>
<body>
<center><h1>502 Bad Gateway</h1></center>
<hr><center>nginx</center>
</body>
</html>
`;

export interface ServerOptions {
  readonly create: CreateSimulator;
  readonly clock: Clock;
  /** Shared between servers when given. */
  readonly faults?: FaultScript;
  /** Any free port when missing. */
  readonly port?: number | undefined;
  /** Whether a call makes the chat that it names. No when missing: an unknown chat is not found, as at the provider. */
  readonly makesChats?: boolean | undefined;
  /** Called once for each line that a person should read. */
  readonly report?: ((line: string) => void) | undefined;
  /** Called after each call, with what became of it. */
  readonly onCall?: ((call: AnsweredCall) => void) | undefined;
}

export interface SandboxServer {
  readonly url: string;
  readonly simulator: Simulator;
  readonly faults: FaultScript;
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<SandboxServer> {
  const { clock, faults = createFaultScript(), onCall } = options;
  const server = createServer({
    // The cap of Telegram's reader; the others are not known to be lower.
    maxHeaderSize: 256 * 1024,
    // Longer than a client keeps an idle connection, so the client never writes into a closing one.
    keepAliveTimeout: 75_000,
  });
  const url = await listen(server, options.port);
  const webhooks = createWebhookCaller(clock);
  const simulator = options.create({
    clock,
    baseUrl: url,
    makesChats: options.makesChats ?? false,
    report: oncePerLine(options.report),
    callWebhook: webhooks.call,
  });
  server.on('request', (message, response) => {
    answer({ simulator, faults, clock, onCall }, message, response).catch((error: unknown) => {
      // A client that sent half a request and left gets no answer. Anything else is an error of the simulator.
      if (message.complete) console.error(error);
      response.destroy();
    });
  });
  return {
    url,
    simulator,
    faults,
    close() {
      webhooks.close();
      return closeServer(server);
    },
  };
}

function oncePerLine(report: (line: string) => void = () => undefined): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    if (!told.has(line)) report(line);
    told.add(line);
  };
}

/** Listens on the loopback only: a sandbox accepts every token that an order names. */
export function listen(server: Server, port = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      const bound = address === null || typeof address === 'string' ? port : address.port;
      resolve(`http://127.0.0.1:${bound}`);
    });
  });
}

/**
 * Whether a request names this machine by its address or as localhost. A web page can have its own name resolved to
 * the loopback, and could then give orders under that name.
 */
export function isAskedHere({ headers: { host = '' } }: IncomingMessage): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host);
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Ground {
  readonly simulator: Simulator;
  readonly faults: FaultScript;
  readonly clock: Clock;
  readonly onCall: ServerOptions['onCall'];
}

async function answer(
  ground: Ground,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(message, ground.simulator.limits);
  if ('fault' in read) return refuseUnread(ground.simulator, read.fault, message, response);
  const { platform } = ground.simulator;
  const call = { platform, ...ground.simulator.describe(read.request) };
  const fault = ground.faults.strike(call);
  const tell = (reply: SandboxReply | null) => ground.onCall?.(answeredCall(call, reply, fault));
  if (fault !== undefined) return play(ground, fault, read.request, response).then(tell);
  const reply = await ground.simulator.handle(read.request);
  send(response, reply);
  tell(reply);
}

/** Reads the rest of the body and drops it: otherwise the client would not see the answer. */
function refuseUnread(
  simulator: Simulator,
  fault: ReaderFault,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const path = readTarget(message.url ?? '/')?.path ?? '/';
  const reply = simulator.unreadable?.(fault, { path }) ?? { status: fault.status, body: '' };
  response.setHeader('connection', 'close');
  send(response, reply);
  message.resume();
}

/** The reply that was sent; null when none was. */
async function play(
  ground: Ground,
  fault: Fault,
  request: SandboxRequest,
  response: ServerResponse,
): Promise<SandboxReply | null> {
  const stored = fault.stored ?? ['slow_drip', 'truncated_json'].includes(fault.kind);
  const effect = async () => (stored ? ground.simulator.handle(request) : undefined);
  const worded = () => ground.simulator.refuse(fault, request);
  const broken = () =>
    ground.simulator.refuse({ ...fault, kind: 'server_error' }, request) ?? serverError(fault);

  switch (fault.kind) {
    case 'drop':
      await effect();
      response.socket?.destroy();
      return null;
    case 'half_open':
      await effect();
      return null;
    case 'slow_drip':
      return drip(ground.clock, response, (await effect()) ?? broken());
    case 'html':
      await effect();
      return send(response, {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: gatewayPage,
      });
    case 'empty_body':
      await effect();
      return send(response, { status: fault.status ?? 200, body: '' });
    case 'truncated_json': {
      const whole = (await effect()) ?? { status: 200, body: '{"' };
      return send(response, {
        ...whole,
        body: whole.body.slice(0, Math.ceil(whole.body.length / 2)),
      });
    }
    case 'server_error':
      await effect();
      return send(response, broken());
    case 'rate_limited':
    case 'kicked':
    case 'revoked':
    case 'migrated':
    case 'attachment_not_ready':
    case 'success_false':
    case 'captcha':
      break;
  }
  return send(response, worded() ?? (await ground.simulator.handle(request)));
}

function serverError(fault: Fault): SandboxReply {
  return { status: fault.status ?? 500, body: '' };
}

function send(response: ServerResponse, reply: SandboxReply): SandboxReply {
  const body = reply.bytes ?? Buffer.from(reply.body);
  response.writeHead(reply.status, headersOf(reply, body.length));
  response.end(body);
  return reply;
}

/** Sends the head at once, then one byte for each second of the clock. */
function drip(clock: Clock, response: ServerResponse, reply: SandboxReply): SandboxReply {
  const body = reply.bytes ?? Buffer.from(reply.body);
  response.writeHead(reply.status, headersOf(reply, body.length));
  response.flushHeaders();
  let sent = 0;
  const next = () => {
    if (response.destroyed) return;
    response.write(body.subarray(sent, sent + 1));
    sent += 1;
    if (sent >= body.length) response.end();
    else clock.later(dripMs, next);
  };
  clock.later(dripMs, next);
  return reply;
}

function headersOf(reply: SandboxReply, length: number): Record<string, string | number> {
  const type = length > 0 ? { 'content-type': 'application/json' } : {};
  return { ...type, 'content-length': length, ...reply.headers };
}
