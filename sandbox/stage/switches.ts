// The faults that the page has switches for. The control API has more.

import type { Fault, FaultKind } from '../simulator.ts';
import type { StageState } from './state.ts';

export interface FaultSwitch {
  readonly kind: FaultKind;
  readonly title: string;
  readonly words: string;
  /** What the fault has beside its kind. */
  readonly with?: Partial<Fault>;
}

export const faultSwitches: readonly FaultSwitch[] = [
  {
    kind: 'rate_limited',
    title: '429',
    words: 'too many requests, retry after 5 s',
    with: { retryAfter: 5 },
  },
  { kind: 'kicked', title: 'Kicked', words: 'the bot was thrown out of the chat' },
  { kind: 'revoked', title: 'Token revoked', words: 'the token is no longer valid' },
  {
    kind: 'drop',
    title: 'Answer lost',
    words: 'the post arrives, but its answer does not',
    with: { stored: true },
  },
  { kind: 'slow_drip', title: 'Slow', words: 'the answer comes one byte a second' },
];

/** Whether a switch is on: its fault strikes every call of the platform. */
export function isOn({ faults }: StageState, kind: FaultKind, platform: string): boolean {
  return faults.list().some((fault) => isSwitched(fault, kind, platform));
}

/** Switches a fault on, or off if it is on. Throws when there is no such switch. */
export function flip(state: StageState, kind: string, platform: string): string {
  const found = faultSwitches.find((each) => each.kind === kind);
  const title = state.titles[platform];
  if (found === undefined || title === undefined) {
    throw new Error(`There is no switch ${JSON.stringify(`${kind} ${platform}`)}.`);
  }
  const wasOn = isOn(state, found.kind, platform);
  if (wasOn) state.faults.clear((fault) => isSwitched(fault, found.kind, platform));
  else state.faults.add({ kind: found.kind, platform, ...found.with });
  return `${found.title} at ${title} is ${wasOn ? 'off' : 'on'}.`;
}

function isSwitched(fault: Fault, kind: FaultKind, platform: string): boolean {
  return fault.kind === kind && fault.platform === platform && isForEveryCall(fault);
}

function isForEveryCall({ chat, method, times, after = 0 }: Fault): boolean {
  return chat === undefined && method === undefined && times === undefined && after === 0;
}

/** Faults that no switch shows: those that the control API has set for some calls, and those of other kinds. */
export function otherFaults({ faults, titles }: StageState): Fault[] {
  const kinds = faultSwitches.map(({ kind }) => kind);
  return faults.list().filter((fault) => {
    const hasSwitch = kinds.includes(fault.kind) && Object.hasOwn(titles, fault.platform ?? '');
    return !hasSwitch || !isForEveryCall(fault);
  });
}
