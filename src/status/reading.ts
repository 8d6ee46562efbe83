// Reads all that the page shows of a workspace, as of one moment.

import { databaseTime } from '../db/health.ts';
import {
  type ListedChannel,
  type ListedRateGroup,
  listChannels,
  listRateGroups,
  type ShownWorkspace,
  showWorkspace,
} from '../db/inspect.ts';
import { type ListedAlert, listAlerts } from '../db/monitor.ts';
import { type OutboxStatus, outboxStatus } from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import { type ListedSource, listPullSources } from '../db/pull.ts';
import {
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
  type QueueSample,
  queueHistory,
  type Wrong,
  whatIsWrong,
} from '../db/status.ts';
import type { SpanOfTime } from './span.ts';

export interface Reading {
  readonly now: Date;
  readonly span: SpanOfTime;
  readonly workspace: ShownWorkspace;
  readonly wrong: readonly Wrong[];
  readonly queue: readonly QueueSample[];
  readonly channels: readonly ListedChannel[];
  /** By channel; a channel in which nothing happened has none. */
  readonly histories: ReadonlyMap<string, ChannelHistory>;
  readonly slots: readonly NextSlot[];
  readonly groups: readonly ListedRateGroup[];
  readonly failures: readonly Failure[];
  /** Alerts that are over, the latest first. */
  readonly resolved: readonly ListedAlert[];
  readonly sources: readonly ListedSource[];
  readonly bot: BotStatus;
  /** Undefined if the page shows only some workspaces. */
  readonly installation: Installation | undefined;
}

/** What belongs to no workspace. */
export interface Installation {
  readonly outbox: OutboxStatus;
  readonly services: readonly ListedService[];
}

export interface Asked {
  readonly workspaceId: string;
  readonly span: SpanOfTime;
}

export interface ReadingOptions {
  readonly client: Queryable;
  /** Whether processes and the outbox are shown. */
  readonly showsInstallation: boolean;
  /** An event of the outbox is given up after so many failures. */
  readonly maxAttempts: number;
  /** The moment that the page shows; if missing, the present by the clock of the database. */
  readonly now?: (() => string) | undefined;
}

const failuresShown = 6;
const resolvedShown = 5;

/** Asks one query after the other on one connection, so that viewers of the page do not crowd out the senders. */
export async function readStatus(options: ReadingOptions, asked: Asked): Promise<Reading> {
  const { client } = options;
  const { workspaceId, span } = asked;
  const at = options.now?.() ?? (await databaseTime(client)).toISOString();
  const past = { workspaceId, span: span.interval };
  const workspace = await showWorkspace(client, workspaceId, at);
  const histories = await channelHistory(client, { ...past, bars: span.bars }, at);
  return {
    now: new Date(at),
    span,
    workspace,
    wrong: await whatIsWrong(client, workspaceId, at),
    queue: await queueHistory(client, past, at),
    channels: await listChannels(client, { workspaceId }, at),
    histories: new Map(histories.map((each) => [each.channelId, each])),
    slots: await nextSlots(client, workspaceId, at),
    groups: await listRateGroups(client, workspaceId, at),
    failures: await latestFailures(client, { workspaceId, limit: failuresShown }, at),
    resolved: await listAlerts(
      client,
      { workspaceId, state: 'resolved', limit: resolvedShown },
      at,
    ),
    sources: await listPullSources(client, workspaceId, at),
    bot: await botStatus(client, workspaceId, at),
    installation: options.showsInstallation ? await readInstallation(options, at) : undefined,
  };
}

async function readInstallation(
  { client, maxAttempts }: ReadingOptions,
  at: string,
): Promise<Installation> {
  return {
    outbox: await outboxStatus(client, maxAttempts, at),
    services: await listServices(client, at),
  };
}
