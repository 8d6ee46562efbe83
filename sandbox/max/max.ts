// The simulator of the MAX Bot API.

import { createFloodControl, type FloodControl } from '../flood.ts';
import type {
  Fault,
  FaultKind,
  SandboxReply,
  SandboxRequest,
  Simulator,
  SimulatorContext,
} from '../simulator.ts';
import type { Call } from './call.ts';
import { createControl } from './control.ts';
import { createEvents, type Events } from './events.ts';
import { createPerson } from './person.ts';
import {
  badToken,
  blockedBot,
  failure,
  notAdmin,
  notFound,
  notReady,
  queryToken,
  Refused,
  serverError,
  suspendedDialog,
  tooLarge,
  tooMany,
  unreadableBody,
  wrongVerb,
} from './replies.ts';
import { notSimulated, routeOf, simulatedMethods } from './routes.ts';
import { receiveUpload } from './uploads.ts';
import { chatViews } from './views.ts';
import { type Bot, createWorld, dialogOf, type World } from './world.ts';

const uploadHost = '/upload.do';

export function createMax(context: SimulatorContext): Simulator {
  const world = createWorld(context);
  const events = createEvents(world, context);
  const flood = createFloodControl(context.clock);
  return {
    platform: 'max',
    methods: simulatedMethods,
    // The largest file and what multipart writes around it. The upload host itself refuses larger ones.
    limits: { files: 2, bodyBytes: 4 * 1024 ** 3 + 1024 ** 2 },
    unreadable: ({ status }) => unreadable(status),
    handle: (request) => handle(world, events, flood, request),
    refuse: (fault, request) => refuse(world, fault, request),
    describe: (request) => describe(world, request),
    chats: () => chatViews(world),
    control: createControl(world, events),
    person: createPerson(world, events),
  };
}

/** Assumed: a body that cannot be read at all gets the same answer as one of the wrong shape. */
function unreadable(status: number): SandboxReply {
  return status === 413 ? tooLarge().reply : unreadableBody().reply;
}

async function handle(
  world: World,
  events: Events,
  flood: FloodControl,
  request: SandboxRequest,
): Promise<SandboxReply> {
  if (request.path === uploadHost) return receiveUpload(world, request);
  try {
    const bot = authorize(world, request);
    const { requestsPerSecond, messagesPerSecond } = world.settings;
    const pace = (key: string, calls: number) => {
      if (flood.take([{ key, calls, ms: 1000 }]) > 0) throw tooMany();
    };
    pace(bot.token, requestsPerSecond);
    const checkPace: Call['checkPace'] = (chatId) =>
      pace(`${bot.token} ${chatId}`, messagesPerSecond);
    return await route(world, request)({ world, events, bot, request, checkPace });
  } catch (error) {
    if (error instanceof Refused) return error.reply;
    throw error;
  }
}

/** The raw token in the header, without "Bearer". Assumed: with a token in the query too, the header counts. */
function authorize(world: World, request: SandboxRequest): Bot {
  const token = request.headers['authorization'];
  if (token === undefined && request.query.has('access_token')) throw queryToken();
  const bot = botOf(world, token);
  if (bot === undefined || bot.revoked) throw badToken();
  if (bot.blocked) throw blockedBot();
  return bot;
}

function botOf(world: World, token: string | undefined): Bot | undefined {
  return [...world.bots.values()].find((bot) => bot.token === token);
}

function route(
  world: World,
  request: SandboxRequest,
): (call: Omit<Call, 'parts'>) => SandboxReply | Promise<SandboxReply> {
  const other = notSimulated(request.method, request.path);
  if (other !== undefined) {
    world.report(`MAX: ${other} was called, which this sandbox does not simulate`);
    throw notFound(`This sandbox does not simulate ${other}`);
  }
  const found = routeOf(request.path);
  // Reported: there is no POST /me/commands, although there is a PATCH.
  const missing =
    found === undefined || (found.template === '/me/commands' && request.method === 'POST');
  // The words are assumed.
  if (missing) throw notFound(`Path ${request.path} is not recognized`);
  const method = found.verbs[request.method];
  if (method === undefined) throw wrongVerb(request.method);
  return (call) => method({ ...call, parts: found.parts });
}

function describe(world: World, request: SandboxRequest): { method: string; chat?: string } {
  const found = routeOf(request.path);
  const method = `${request.method} ${found?.template ?? request.path}`;
  const chat = chatAddressed(world, request, found?.parts['chatId']);
  return chat === undefined ? { method } : { method, chat };
}

/** For a user, the chat is the dialog; for a message, the chat that it is in. */
function chatAddressed(
  world: World,
  { query, headers, path }: SandboxRequest,
  inPath: string | undefined,
): string | undefined {
  const direct = inPath ?? query.get('chat_id');
  if (direct) return direct;
  const mid = query.get('message_id') ?? path.replace(/^\/messages\//, '');
  const message = world.messages.get(mid);
  if (message !== undefined) return String(message.chatId);
  const bot = botOf(world, headers['authorization']);
  const dialog = bot && dialogOf(world, bot.userId, Number(query.get('user_id') ?? 0));
  return dialog === undefined ? undefined : String(dialog.chatId);
}

/** MAX's words for scripted faults. Faults of the wire and of other platforms are missing. */
const worded: Readonly<
  Partial<Record<FaultKind, (fault: Fault, inDialog: boolean) => SandboxReply>>
> = {
  rate_limited: (fault) => tooMany(fault.retryAfter).reply,
  kicked: (_fault, inDialog) => (inDialog ? suspendedDialog() : notAdmin()).reply,
  revoked: () => badToken().reply,
  attachment_not_ready: () => notReady().reply,
  success_false: () => failure('Internal error'),
  server_error: (fault) => serverError(fault.status ?? 500).reply,
};

function refuse(world: World, fault: Fault, request: SandboxRequest): SandboxReply | undefined {
  const chat = world.chats.get(Number(describe(world, request).chat));
  return worded[fault.kind]?.(fault, chat?.type === 'dialog');
}
