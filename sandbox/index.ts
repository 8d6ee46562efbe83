// The entry `outrider/sandbox`: Telegram, MAX and VK in the process of a test. docs/sandbox.md has the orders that
// `simulator.control` takes, and the faults.

export { type Clock, type MovableClock, movableClock, runningClock } from './clock.ts';
export type { FaultScript } from './faults.ts';
export type { Platform } from './platforms.ts';
export type { SandboxServer } from './server.ts';
export type { ChatView, Fault, FaultKind, MediaView, PostView, Simulator } from './simulator.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './start.ts';
