// What the stage knows beside the simulators: what was done last, the calls, the posts on their way.

import type { AnsweredCall } from '../answered-call.ts';
import type { Clock } from '../clock.ts';
import type { FaultScript } from '../faults.ts';
import type { Simulator } from '../simulator.ts';
import type { RecentPost, StagedOutrider } from './outrider.ts';

export interface StageOptions {
  readonly simulators: readonly Simulator[];
  /** By platform, for people. */
  readonly titles: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly faults: FaultScript;
  /** Whoever knows it may change things on the stage. */
  readonly token: string;
}

export interface StageState extends StageOptions {
  outrider: StagedOutrider | undefined;
  /** Where the stage is. */
  url: string;
  posts: readonly RecentPost[];
  /** Newest first. */
  calls: readonly SeenCall[];
  /** What the last act came to. */
  said: Said | undefined;
}

export interface Said {
  readonly words: string;
  readonly isGood: boolean;
}

export interface SeenCall extends AnsweredCall {
  /** Milliseconds since 1970, of the sandbox's clock. */
  readonly at: number;
}

const callsKept = 40;

export function createState(options: StageOptions): StageState {
  return { ...options, outrider: undefined, url: '', posts: [], calls: [], said: undefined };
}

export function keepCall(state: StageState, call: AnsweredCall): void {
  state.calls = [{ ...call, at: state.clock.now() }, ...state.calls].slice(0, callsKept);
}
