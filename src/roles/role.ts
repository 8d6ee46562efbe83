// A role: a part of Outrider that runs for long, alone in a process or beside other roles.

import type { WorkingRole } from '../db/open.ts';
import type { Service } from '../service.ts';
import type { Ground } from './ground.ts';

/**
 * The order in which the roles of a process start and stop: those that take work in, those that send it, those that run
 * beside them. So a process that cannot take work in sends nothing, and one that stops takes nothing more in before it
 * ends its sends.
 */
export const stages = ['intake', 'sending', 'beside'] as const;
export type Stage = (typeof stages)[number];

/** A role that runs. */
export interface RunningRole extends Service {
  /** Where it listens, if it does. */
  readonly url?: string | undefined;
}

export interface Role {
  readonly name: string;
  /** One line for `outrider run --help`. */
  readonly summary: string;
  readonly stage: Stage;
  /** The database role that it works as. */
  readonly worksAs: WorkingRole;
  /** Opens what the role needs and what may fail to open. Done for all roles before the first one starts. */
  prepare?(ground: Ground): Promise<void>;
  start(ground: Ground): Promise<RunningRole>;
}
