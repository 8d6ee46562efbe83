// The Telegram Bot API: token in the path, methods by name, one reply for each request.

import { createFloodControl } from '../flood.ts';
import type {
  ReaderFault,
  SandboxReply,
  SandboxRequest,
  Simulator,
  SimulatorContext,
} from '../simulator.ts';
import { createBot, findBot } from './bots.ts';
import { obey } from './control.ts';
import { createFileStore } from './files.ts';
import { runMethod, simulatedMethods } from './methods.ts';
import { readParameters } from './parameters.ts';
import { Refusal, refusalReply } from './refusals.ts';
import { routeOf } from './routes.ts';
import { describe, refuse } from './scripted-faults.ts';
import { showChats } from './view.ts';
import { type Bot, defaultLimits, type World } from './world.ts';

const uploadBytesMost = 50 * 1024 * 1024;

export function createTelegram(context: SimulatorContext): Simulator {
  const world = createWorld(context);
  const addBot = (token: string, names: { username: string; first_name: string }) =>
    createBot(world, context, token, names);
  const control = (name: string, body: unknown) => obey({ world, addBot }, name, body);
  return {
    platform: 'telegram',
    methods: simulatedMethods,
    // A little more than the largest file: the parts of multipart have heads.
    limits: { bodyBytes: uploadBytesMost + 1024 * 1024 },
    unreadable,
    handle: (request) => handle(world, request),
    refuse: (fault, request) => refuse(world, fault, request),
    describe: (request) => describe(world, request),
    chats: () => showChats(world),
    control,
    person: {
      say: (chat, text) => void control('say', { chat, text }),
      press: (chat, post, payload) =>
        void control('press', { chat, message_id: Number(post), button: payload }),
    },
  };
}

function createWorld({ clock, makesChats, report }: SimulatorContext): World {
  let serial = 100;
  return {
    clock,
    bots: new Map(),
    chats: new Map(),
    files: createFileStore(),
    flood: createFloodControl(clock),
    callbacks: new Map(),
    unfetchable: new Map(),
    albumAccidents: new Map(),
    limits: defaultLimits,
    settings: { selfHosted: false, strictWebhooks: false },
    makesChats,
    report,
    nextSerial() {
      serial += 1;
      return serial;
    },
  };
}

/** A refusal of the reader itself has no body. The proxy in front of it refuses a request body that is too large. */
function unreadable(fault: ReaderFault): SandboxReply {
  if (fault.what !== 'body') return { status: fault.status, body: '' };
  return refusalReply(new Refusal(413, 'Request Entity Too Large'));
}

async function handle(world: World, request: SandboxRequest): Promise<SandboxReply> {
  const route = routeOf(request.path);
  if (route === undefined) return refusalReply(new Refusal(404, 'Not Found'));
  const bot = findBot(world, route.token);
  if (bot instanceof Refusal) return refusalReply(bot);
  if (route.isFile) return download(world, bot, route.rest);
  if (request.files.some((file) => file.size > uploadBytesMost)) {
    return unreadable({ status: 413, what: 'body' });
  }
  const parameters = readParameters(request);
  if (parameters === undefined) return { status: 400, body: '' };
  return runMethod(world, bot, route.rest, parameters);
}

/** The bytes were not kept: the first ones are real, zeros fill the file up to its size. */
function download(world: World, bot: Bot, path: string): SandboxReply {
  const file = world.files.atPath(bot, path);
  if (file === undefined) return refusalReply(new Refusal(404, 'Not Found'));
  const bytes = new Uint8Array(file.size);
  bytes.set(file.head.subarray(0, file.size));
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: '', bytes };
}
