// Starts roles stage by stage, and stops them in the same order.
//
//   starting → all roles run → running → stop() → stopping → stopped
//   starting → a role cannot start, or stop() → no further role starts, those that run stop → stopped

import { OutriderError } from '../errors.ts';
import type { Ground } from './ground.ts';
import { type Role, type RunningRole, type Stage, stages } from './role.ts';

export interface StartedRoles {
  /** Rejects when a role cannot start, or when all are stopped before they run. */
  readonly started: Promise<void>;
  /** A stage stops after the one before it. The roles of a stage stop at the same time, each with the whole grace. */
  stop(): Promise<void>;
}

/** `onIntake` is called when all roles that take work in have started, before anything is sent. */
export function startRoles(
  roles: readonly Role[],
  ground: Ground,
  onIntake: () => void = () => undefined,
): StartedRoles {
  const running: { readonly stage: Stage; readonly role: RunningRole }[] = [];
  let stopping: Promise<void> | undefined;

  async function start(): Promise<void> {
    ground.wanted = roles.map((each) => each.name);
    try {
      for (const role of roles) await role.prepare?.(ground);
      for (const stage of stages) {
        for (const role of roles.filter((each) => each.stage === stage)) await startRole(role);
        throwIfStopping();
        if (stage === 'intake') onIntake();
      }
    } catch (error) {
      await stopRunning().catch((fault: unknown) => {
        ground.log.error('a role could not stop', { error: String(fault) });
      });
      throw error;
    }
  }

  async function startRole(role: Role): Promise<void> {
    throwIfStopping();
    const started = await role.start(ground);
    running.push({ stage: role.stage, role: started });
    ground.running.push(started);
  }

  function throwIfStopping(): void {
    if (stopping === undefined) return;
    throw new OutriderError('invalid_input', 'it was stopped before all its roles ran');
  }

  /** Stops all roles, even if one of them cannot stop. */
  async function stopRunning(): Promise<void> {
    const faults: unknown[] = [];
    const stopOne = ({ role }: (typeof running)[number]): Promise<void> =>
      role.stop().catch((fault: unknown) => void faults.push(fault));
    for (const stage of stages) {
      await Promise.all(running.filter((each) => each.stage === stage).map(stopOne));
    }
    running.length = 0;
    ground.running.length = 0;
    if (faults.length > 0) throw new AggregateError(faults, 'not every role could stop');
  }

  async function stopAll(): Promise<void> {
    await started.catch(() => undefined);
    await stopRunning();
  }

  const started = start();
  started.catch(() => undefined); // the caller that waits for it gets the error
  return {
    started,
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}
