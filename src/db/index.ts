// The entry `outrider/sql`: typed calls of Outrider's SQL functions, by area. docs/sql.md has the contract of each
// function.

// Connections, and the schema.

export { type Listener, type ListenOptions, listenForWakes, type WakeChannel } from './listen.ts';
export type { MigrationReport } from './migrate/migrate.ts';
export { type Database, type OpenOptions, openDatabase, type WorkingRole } from './open.ts';
export {
  type ClientOptions,
  type ConnectionOptions,
  openClient,
  openPool,
  type PoolOptions,
  type Queryable,
} from './pool.ts';
export { type ConnectionSource, inTransaction, type TransactionOptions } from './transaction.ts';

// Configuring a workspace.

export { applyWorkspace, type Change, moveChannel } from './apply.ts';

// Taking posts in.

export {
  type Admission,
  admitIngress,
  type ChannelVerdict,
  dropRepeatedPush,
  type EndpointKind,
  type Enqueued,
  type EnqueuedBatch,
  enqueueBatch,
  enqueueCopiedPost,
  enqueueMessagesAndDeliveries,
  findEndpoint,
  type IngestKind,
  ingestPullChunk,
  ingestPush,
  type LeftOutMedium,
  type PullChunk,
  type PulledChunk,
  type PulledItem,
  type Pushed,
  rejectIngress,
} from './intake.ts';
export {
  forgetMediaBlob,
  forgetMediaOrigins,
  keepMediaBlob,
  keepMediaOrigin,
  knownOrigins,
  mediaGcCandidates,
  type ProviderCopy,
  type UnusedOrigin,
} from './media.ts';

export {
  type ClaimedSource,
  claimPullSource,
  extendPull,
  failPull,
  type ListedSource,
  listPullSources,
  type PullLease,
  type PullOrder,
  pullNow,
  releasePull,
  type SourceClaim,
  takenItems,
} from './pull.ts';

// Sending.

export {
  type AcknowledgedPart,
  type CallRequest,
  type ClaimedDelivery,
  type ClaimRequest,
  claimDeliveries,
  extendLeases,
  type GroupSlot,
  releaseClaims,
  saveProgress,
  takeCall,
  takeGroupSlot,
} from './claim.ts';
export {
  commitOutcomes,
  commitSent,
  type ErrorCause,
  type Failed,
  failPermanent,
  type GivenError,
  markSent,
  type Outcome,
  type PlainSent,
  type SendError,
  type Sent,
  type Stale,
  scheduleRetry,
  type Verdict,
} from './commit.ts';
export { nextDueAt, nextDueIn, nextWorkspaces, wakeDispatchers } from './dispatch.ts';
export { ensureEventPartitions } from './events.ts';
export { type Recovered, recoverLeases, staleWorkspaces } from './recovery.ts';

// The bot.

export {
  type BotButton,
  type BotDecision,
  type BotInput,
  type BotLogEntry,
  type BotLogFilter,
  type BotReply,
  type BotState,
  type BotTurn,
  type BotUpdate,
  type ClaimedReply,
  claimBotReplies,
  commitBotReplies,
  type DecideRequest,
  decideBotTurn,
  extendBotReplies,
  type FailedTurn,
  failBotTurn,
  type ListedChat,
  listBotChats,
  listBotLogs,
  nextBotReplyAt,
  pendingBotTurns,
  type ReplyOutcome,
  type ReplyVerdict,
  type ResumedChat,
  type ResumeOrder,
  recoverBotReplies,
  resumeBotChat,
  runBotTurn,
  type TakenUpdate,
  type TakeUpdateRequest,
  takeBotUpdate,
  type UnmatchedTexts,
  type UpdateKey,
  unmatchedBotTexts,
} from './bot.ts';

// Looking.

export type { ShownActivity } from './activity-rows.ts';
export type {
  ChannelGate,
  ChannelState,
  ListedChannel,
  ListedCredential,
  ListedRateGroup,
} from './channel-rows.ts';
export type {
  DeliveryError,
  DeliveryStatus,
  FoundDelivery,
  FoundMessage,
  ListedDelivery,
  NextStep,
  RecordedEvent,
  ShownDelivery,
} from './delivery-rows.ts';
export {
  type ActivityFilter,
  type ChannelFilter,
  type DeliveryFilter,
  type EventFilter,
  findDeliveries,
  findMessages,
  listChannels,
  listCredentials,
  listDeliveries,
  listEvents,
  listRateGroups,
  listWorkspaces,
  showActivity,
  showDelivery,
  showWorkspace,
} from './inspect.ts';
export type { ShownWorkspace, Workspace } from './workspace-rows.ts';

// Explaining.

export {
  type Explanation,
  explainDelivery,
  explainPost,
  type FoundPost,
  findPosts,
  type PostExplanation,
  type PostQuestion,
  type PostSearch,
} from './explain.ts';

// Operating.

export {
  type ChannelOrder,
  disableChannels,
  disableRateGroup,
  enableChannels,
  enableRateGroup,
  type GroupOrder,
  type OpenedGroup,
  type Order,
  type OrderedChannel,
  pauseChannels,
  type Released,
  type Requeued,
  type RequeueOrder,
  type Resolved,
  type ResolveOrder,
  type RotatedChannel,
  type RotateOrder,
  releaseStale,
  reopenCredential,
  requeueDeliveries,
  resolveDeliveries,
  resumeChannels,
  rotateAuth,
} from './operate.ts';

// Deleting what has been kept long enough.

export {
  type Orphan,
  type Purged,
  purgeExpired,
  purgeOutbox,
  type Recounted,
  reconcileEvents,
  reconcileMedia,
  restartSweeps,
} from './retention.ts';

// Raw payloads, and erasing a person.

export {
  type ExpiredPayload,
  expiredPayloads,
  forgetPayloads,
  type KeptPayload,
  keepPayload,
  knownPayloadObjects,
  type LinkedPayload,
  type ListedPayload,
  linkPayload,
  listPayloads,
  openPayloadLink,
  type PayloadPolicy,
  payloadPolicy,
  type Reading,
  type ReadPayload,
  readPayload,
} from './payloads.ts';
export { type Erased, eraseContact, type StandingPost } from './privacy.ts';

// The outbox: writing, publishing and looking after events, and remembering which were processed.

export {
  checkAndMarkProcessed,
  claimEvent,
  confirmEvent,
  extendEvent,
  type LeasedEvent,
  purgeProcessedEvents,
  releaseEvent,
} from './consume.ts';
export {
  type FailedEvent,
  type FetchedEvent,
  type FoundEvent,
  fetchUnpublished,
  findOutboxEvents,
  type ListedEvent,
  listOutboxEvents,
  markPublished,
  markPublishFailed,
  type NewEvent,
  nextPublishAt,
  type OutboxStatus,
  outboxStatus,
  type PublishFailure,
  type PublishOrder,
  purgeOutboxEvents,
  type ReplayedEvent,
  replayOutboxEvents,
  type SkippedEvent,
  skipOutboxEvents,
  writeEvent,
} from './outbox.ts';

// Alerts.

export {
  type Acknowledged,
  type AlertAddress,
  type AlertChange,
  type AlertTarget,
  ackAlert,
  evaluateAlerts,
  type HealthSnapshot,
  healthSnapshot,
  type ListedAlert,
  listAlerts,
  listAlertTargets,
  listSilences,
  type ShownAlert,
  type Silence,
  type Silenced,
  showAlert,
  silenceAlerts,
  unsilenceAlerts,
} from './monitor.ts';

// Metrics.

export {
  type Counted,
  countMetrics,
  type MetricLimits,
  type MetricSample,
  readMetrics,
} from './metrics.ts';

// The status page: what is wrong, how it was over time, what comes next, who is at work.

export {
  type BotStatus,
  botStatus,
  type ChannelHistory,
  channelHistory,
  type Failure,
  type ListedService,
  latestFailures,
  listServices,
  type NextSlot,
  nextSlots,
  postExcerpts,
  type QueueSample,
  queueHistory,
  takeSamples,
  type Wrong,
  whatIsWrong,
} from './status.ts';
