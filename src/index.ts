// The entry `outrider`: Outrider inside a program. It opens, takes posts in, shows what became of them, runs roles and
// stops. The other entries are outrider/outbox, outrider/adapters, outrider/sql and outrider/sandbox.

export type { Clock } from './clock.ts';
export { type Config, type Environment, loadConfig } from './config.ts';
export type {
  ChannelFilter,
  ChannelState,
  DeliveryFilter,
  DeliveryStatus,
  ListedChannel,
  ListedDelivery,
  ShownDelivery,
  ShownWorkspace,
  Workspace,
} from './db/inspect.ts';
export type { ChannelVerdict } from './db/intake.ts';
export type { Queryable } from './db/pool.ts';
export {
  DatabaseAwayError,
  DatabaseBusyError,
  DatabaseFaultError,
  type ErrorCode,
  type ErrorFacts,
  InvalidInputError,
  NotAllowedError,
  NotFoundError,
  OutriderError,
  StillInFlightError,
  TransitionRefusedError,
} from './errors.ts';
export type { GivenConfig } from './given-config.ts';
export {
  createLog,
  type Facts,
  type Log,
  type LogLevel,
  type LogOptions,
  silentLog,
} from './log.ts';
export type { OriginStore, StoredBlob } from './media/origin-store.ts';
export {
  type Accepted,
  type Inspect,
  type Intervals,
  type NewPost,
  type Outrider,
  type OutriderMeans,
  openOutrider,
  type Pools,
  type Readiness,
  type RoleName,
} from './outrider.ts';
