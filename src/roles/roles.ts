// All roles. A new one is a file beside this one and a line here.

import type { WorkingRole } from '../db/open.ts';
import { OutriderError } from '../errors.ts';
import { adapters } from './adapters.ts';
import { bot } from './bot.ts';
import { dispatch } from './dispatch.ts';
import { ingest } from './ingest.ts';
import { monitor } from './monitor.ts';
import { publish } from './publish.ts';
import { pull } from './pull.ts';
import type { Role } from './role.ts';
import { upkeep } from './upkeep.ts';

// `adapters`, the gateway, comes before `ingest`, which mounts it where both run.
const listed = [adapters, ingest, pull, dispatch, bot, upkeep, monitor, publish] as const;

export type RoleName = (typeof listed)[number]['name'];
export const roles: readonly (Role & { readonly name: RoleName })[] = listed;
export const roleNames: readonly RoleName[] = listed.map((each) => each.name);

/** The roles that have an HTTP server. */
export const serving: ReadonlySet<string> = new Set(['adapters', 'ingest']);

/** The roles of these names, each once. */
export function rolesNamed(names: readonly string[]): readonly Role[] {
  const unknown = names.find((name) => !roles.some((each) => each.name === name));
  if (unknown !== undefined) {
    throw new OutriderError('invalid_input', `there is no role "${unknown}"`, {
      hint: `there are ${roleNames.join(', ')}`,
    });
  }
  return roles.filter((each) => names.includes(each.name));
}

/** The database role of a process with these roles. To publish alone, a login needs outrider_publisher and no more. */
export function workingRoleOf(names: readonly RoleName[]): WorkingRole {
  const needed = rolesNamed(names).map((each) => each.worksAs);
  const isPublisher = needed.length > 0 && needed.every((each) => each === 'outrider_publisher');
  return isPublisher ? 'outrider_publisher' : 'outrider_service';
}
