// What every role of Outrider is: a part that runs for long, alone in a process or beside others.

import type { WorkingRole } from '../db/open.ts';
import type { Service } from '../service.ts';
import type { Ground } from './ground.ts';

/**
 * The order in which the roles of a process start and stop: what takes work in, what sends it, what runs beside them.
 * A process that cannot take work in sends nothing; one that stops takes nothing more in before it ends its sends.
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
  /** Whom it works as in the database. */
  readonly worksAs: WorkingRole;
  /** Opens what the role needs and what may be wrong. Done for all roles before the first one starts. */
  prepare?(ground: Ground): Promise<void>;
  start(ground: Ground): Promise<RunningRole>;
}
