// Bots and their tokens.

import type { SimulatorContext } from '../simulator.ts';
import { isObject } from './json.ts';
import { runMethod } from './methods.ts';
import { jsonFields, parametersOf } from './parameters.ts';
import { Refusal } from './refusals.ts';
import { UpdateQueue } from './updates.ts';
import { Webhook } from './webhooks.ts';
import type { Bot, World } from './world.ts';

export function createBot(
  world: World,
  context: SimulatorContext,
  token: string,
  names: { username: string; first_name: string },
): Bot {
  const queue = new UpdateQueue(world.clock, 100_000_000 + world.nextSerial());
  const user = { id: Number.parseInt(token, 10), is_bot: true, ...names };
  // A 2xx answer of a webhook may hold a method call; nobody is told how it ends.
  const onAnswer = (body: string) => {
    const call = parseAnswer(body);
    if (call !== undefined) void runMethod(world, bot, call.method, parametersOf(call.values));
  };
  const webhook = new Webhook({ clock: world.clock, queue, context, onAnswer });
  const bot: Bot = { token, user, revoked: false, updates: queue, webhook };
  world.bots.set(token, bot);
  return bot;
}

function parseAnswer(body: string): { method: string; values: Map<string, string> } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (!isObject(value) || typeof value['method'] !== 'string') return undefined;
    const method = value['method'].toLowerCase();
    if (/^(get|setwebhook$|deletewebhook$|close$|logout$)/.test(method)) return undefined;
    return { method, values: new Map(jsonFields(value)) };
  } catch {
    return undefined;
  }
}

/** For a malformed token the public host says "not found"; a Bot API server of one's own says "invalid". */
export function findBot(world: World, token: string): Bot | Refusal {
  if (!/^[1-9]\d*:[\w-]+$/.test(token) || token.length > 80) {
    return world.settings.selfHosted
      ? new Refusal(401, 'Unauthorized: invalid token specified')
      : new Refusal(404, 'Not Found');
  }
  const bot = world.bots.get(token);
  return bot === undefined || bot.revoked ? new Refusal(401, 'Unauthorized') : bot;
}
