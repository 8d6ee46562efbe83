// The VK API as a simulator: /method/<name>, the upload server and the pictures.

import type {
  Fault,
  FaultKind,
  SandboxReply,
  SandboxRequest,
  Simulator,
  SimulatorContext,
} from '../simulator.ts';
import { obey } from './control.ts';
import { edgePage, json, notFoundPage, unreadablePage } from './edge.ts';
import { errorObject, Refusal } from './errors.ts';
import { Executed } from './execute.ts';
import { callMethod } from './gate.ts';
import { methods } from './methods.ts';
import { readParameters } from './parameters.ts';
import { showPicture } from './photos.ts';
import { drawPicture } from './picture.ts';
import { showChats } from './view.ts';
import { closedWall } from './wall-rights.ts';
import { createWorld, type World } from './world.ts';

const methodPath = '/method/';
const uploadPath = '/upload/';

export function createVk(context: SimulatorContext): Simulator {
  const world = createWorld(context);
  return {
    platform: 'vk',
    methods: [...methods.keys()],
    unreadable: unreadablePage,
    handle: (request) => answer(world, request),
    refuse: (fault, request) => word(world, fault, request),
    describe: (request) => describe(world, request),
    chats() {
      world.walls.settle(world.clock.now());
      return showChats(world);
    },
    control: (name, body) => obey(world, name, body),
  };
}

function answer(world: World, request: SandboxRequest): SandboxReply {
  const { path } = request;
  world.walls.settle(world.clock.now());
  if (path.startsWith(methodPath)) {
    return respond(request, (method) => {
      const bearer = /^Bearer (.+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
      return callMethod(world, method, readParameters(request), bearer);
    });
  }
  if (path.startsWith(uploadPath)) return world.uploads.receive(request, world.clock.now());
  if (path.startsWith('/photo/')) return showPicture(request, world.clock);
  if (path === '/captcha.php') {
    const bytes = drawPicture(130, 50, request.query.get('sid') ?? '');
    return { status: 200, headers: { 'content-type': 'image/png' }, body: '', bytes };
  }
  return notFoundPage;
}

/** The status is 200 whatever the method says. */
function respond(request: SandboxRequest, run: (method: string) => unknown): SandboxReply {
  const method = request.path.slice(methodPath.length);
  try {
    return json(bodyOf(run(method)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return json({ error: errorObject(error, method, readParameters(request).entries) });
  }
}

function bodyOf(result: unknown): object {
  if (!(result instanceof Executed)) return { response: result };
  const { response, errors } = result;
  return errors.length === 0 ? { response } : { response, execute_errors: errors };
}

/** VK's own words for a scripted fault. A call that brings the key of its captcha is not refused. */
function word(world: World, fault: Fault, request: SandboxRequest): SandboxReply | undefined {
  if (fault.kind === 'server_error') return edgePage(fault.status ?? 502);
  const refusal = refusals[fault.kind]?.(world, request);
  if (refusal === undefined) return undefined;
  if (request.path.startsWith(uploadPath)) return world.uploads.failed();
  return respond(request, () => {
    throw refusal;
  });
}

/** The faults that VK has words for. */
const refusals: Partial<
  Record<FaultKind, (world: World, request: SandboxRequest) => Refusal | undefined>
> = {
  rate_limited: () => new Refusal(6),
  revoked: () => new Refusal(5, 'user revoke access for this token'),
  kicked: (_world, { path }) =>
    path === `${methodPath}wall.post` ? new Refusal(214, closedWall) : new Refusal(15),
  captcha: ({ hindrances, baseUrl }, request) =>
    hindrances.solve(readParameters(request)) ? undefined : hindrances.challenge(baseUrl),
};

/** The chat of a call is the wall that it addresses, or the person that a message goes to. */
function describe(world: World, request: SandboxRequest): { method: string; chat?: string } {
  const { path } = request;
  if (path.startsWith(uploadPath)) {
    const ticket = world.uploads.ticketOf(path);
    if (ticket === undefined) return { method: 'upload' };
    const chat = ticket.groupId === undefined ? ticket.actorId : -ticket.groupId;
    return { method: 'upload', chat: String(chat) };
  }
  const method = path.startsWith(methodPath) ? path.slice(methodPath.length) : path;
  const parameters = readParameters(request);
  const group = parameters.text('group_id');
  const domain = parameters.text('domain');
  const chat =
    parameters.text('owner_id') ??
    parameters.text('peer_id') ??
    parameters.text('user_id') ??
    (group === undefined ? undefined : `-${group}`) ??
    (domain === undefined ? undefined : world.accounts.resolve(domain)?.toString());
  return chat === undefined ? { method } : { method, chat };
}
