import { cpuMicrosOfProcess } from '../process-cpu.ts';
import type { Dispatcher } from './dispatcher.ts';

/** CPU of PostgreSQL for one delivery, µs: claims and commits run in backends of their own. */
export interface DispatchCost {
  readonly claimMicros: number;
  readonly commitMicros: number;
}

/** Drains a workspace and says what each delivery cost. */
export async function costOfDrain(
  dispatcher: Dispatcher,
  workspaceId: string,
  batchSize: number,
): Promise<DispatchCost> {
  const claimsBefore = cpuMicrosOfProcess(dispatcher.claimsPid);
  const commitsBefore = cpuMicrosOfProcess(dispatcher.commitsPid);
  const sent = await dispatcher.drain(workspaceId, batchSize);
  return {
    claimMicros: (cpuMicrosOfProcess(dispatcher.claimsPid) - claimsBefore) / sent,
    commitMicros: (cpuMicrosOfProcess(dispatcher.commitsPid) - commitsBefore) / sent,
  };
}
