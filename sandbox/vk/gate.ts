// The checks of every call before its method runs, in the order in which VK refuses.

import type { Token, TokenKind } from './accounts.ts';
import { Refusal } from './errors.ts';
import { meetOwners } from './made-owners.ts';
import { isVkMethod } from './method-names.ts';
import { type Method, methods } from './methods.ts';
import { type Parameters, parametersOf } from './parameters.ts';
import { requireReadingQuota } from './wall-read.ts';
import type { Call, World } from './world.ts';

/** Runs the method, or throws the refusal. */
export function callMethod(
  world: World,
  name: string,
  parameters: Parameters,
  bearer: string | undefined,
): unknown {
  const method = methodNamed(world, name);
  const version = readVersion(parameters);
  const token = world.accounts.authorise(parameters.text('access_token') ?? bearer, world.clock);
  requirePace(world, token);
  return runMethod({ world, token, version }, name, method, parameters);
}

function methodNamed(world: World, name: string): Method {
  const method = methods.get(name);
  if (method !== undefined) return method;
  if (!isVkMethod(name)) throw new Refusal(3);
  world.report(`VK: ${name} was called, which this sandbox does not simulate`);
  throw new Refusal(33, `this sandbox does not simulate ${name}`);
}

type Session = Pick<Call, 'world' | 'version'> & { readonly token: Token };

function runMethod(
  session: Session,
  name: string,
  method: Method,
  parameters: Parameters,
): unknown {
  const { world, token, version } = session;
  requireKind(method, token.kind);
  requireScope(method, token);
  world.hindrances.check(token, name, parameters, world.baseUrl);
  if (name === 'wall.get') requireReadingQuota(world, token.token);
  meetOwners(world, token.actor, parameters);
  const also: Call['also'] = (other, values) => {
    // Assumed: a script inside a script is refused like an unknown method.
    if (other === 'execute') throw new Refusal(3);
    return runMethod(session, other, methodNamed(world, other), parametersOf(values));
  };
  return method.run({
    world,
    parameters,
    actor: token.actor,
    scopes: token.scopes,
    version,
    also,
  });
}

function readVersion(parameters: Parameters): number {
  const minor = /^5\.(\d{1,4})$/.exec(parameters.text('v') ?? '')?.[1];
  if (minor === undefined) throw new Refusal(8, 'v (version) is required');
  return Number(minor);
}

function requirePace({ flood, limits }: World, token: Token): void {
  const rates: Readonly<Record<TokenKind, number | null>> = {
    user: limits.user_rps,
    vk_id: limits.user_rps,
    service: limits.service_rps,
    community: limits.community_rps,
  };
  const calls = rates[token.kind];
  if (calls === null) return;
  const window = { key: `calls ${token.token}`, calls, ms: 1000 };
  if (calls === 0 || flood.take([window]) > 0) throw new Refusal(6);
}

const wrongKind: Readonly<Record<TokenKind, readonly [number, string]>> = {
  user: [5, 'method is unavailable with user auth.'],
  community: [27, 'method is unavailable with group auth.'],
  service: [28, 'method is unavailable with service token.'],
  vk_id: [1051, 'method is unavailable with current profile type'],
};

function requireKind(method: Method, kind: TokenKind): void {
  if (!method.kinds.includes(kind)) throw new Refusal(...wrongKind[kind]);
}

function requireScope(method: Method, token: Token): void {
  if (method.scope === undefined || token.scopes.has(method.scope)) return;
  throw new Refusal(15, {
    detail: 'no access to call this method. It cannot be called with current scopes.',
    subcode: 1133,
  });
}
