// What the checks look at. It is gathered once, before the first check.

import type { ChatInspection, PostingFault, SendError, Webhooks } from '../adapters/adapter.ts';
import type { Config } from '../config.ts';
import type { SchemaDrift } from '../db/catalogue/schema-drift.ts';
import type { ServerFacts } from '../db/catalogue/server-facts.ts';
import type { ExaminedInstallation, ExaminedWorkspace } from '../db/doctor.ts';
import type { ListedChannel, ListedCredential, ListedRateGroup } from '../db/inspect.ts';
import type { AlertTarget } from '../db/monitor.ts';
import type { ListedSource } from '../db/pull.ts';
import type { OutriderError } from '../errors.ts';
import type { OriginStore } from '../media/origin-store.ts';
import type { FreeSpace } from '../monitor/store-facts.ts';
import type { Broker } from '../outbox/broker.ts';
import type { Secrets } from '../secrets.ts';
import type { Check } from './finding.ts';
import type { PlatformTime } from './platform-times.ts';

/** This machine, and what the environment says. */
export interface Machine {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Throws when the configuration of the store is not complete. */
  readonly openStore: () => OriginStore;
  /** Throws when the address makes no sense. Closed by whoever opened it. */
  readonly openBroker: () => Promise<Broker>;
  readonly freeSpace: (folder: string) => Promise<FreeSpace>;
  /** The most connections that one process of `outrider up` opens. */
  readonly connectionsOfUp: number;
  /** How long another server may take to answer. */
  readonly patienceMs: number;
  /** The clock of this machine, in milliseconds. */
  readonly now: () => number;
}

/** Whether the database could be opened. */
export interface Opening {
  /** Where the server is, for people. */
  readonly place: string;
  /** Why it cannot be reached. */
  readonly unreachable?: OutriderError | undefined;
  /** Why its schema is not ours, or not for this login. */
  readonly refused?: OutriderError | undefined;
}

export interface Server {
  readonly place: string;
  readonly facts: ServerFacts;
  /** The time at which it is looked at. */
  readonly now: Date;
  readonly connectionsOfUp: number;
  /** By the clock of this machine, in milliseconds: when it was asked for its time, and when it had answered. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface Schema {
  readonly installation: ExaminedInstallation;
  readonly drift: SchemaDrift;
  readonly workspaces: readonly Workspace[];
  /** Of this program. */
  readonly version: string;
}

/** What became of a look at a token. The token itself is in none of these. */
export type TokenAnswer =
  | { readonly kind: 'unbound' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'no_adapter' }
  | {
      readonly kind: 'good';
      readonly account: string;
      readonly faults: readonly PostingFault[];
      readonly groupRps: number | undefined;
    }
  | { readonly kind: 'refused'; readonly error: SendError }
  | { readonly kind: 'not_asked'; readonly error: SendError };

/** Undefined when nobody could ask: the token is not good, or the platform cannot be looked into. */
export type ChatAnswer = ChatInspection | undefined;

/** A chat that something posts to. */
export interface PostedChat {
  readonly channelId: string;
  readonly platform: string;
  readonly targetId: string;
  readonly authRef: string;
  readonly rateGroup: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Workspace {
  readonly workspaceId: string;
  readonly channels: readonly ListedChannel[];
  readonly credentials: readonly ListedCredential[];
  readonly groups: readonly ListedRateGroup[];
  readonly sources: readonly ListedSource[];
  readonly alertTargets: readonly AlertTarget[];
  readonly more: ExaminedWorkspace;
}

/** A workspace with what the platforms and sources say about it. */
export interface AskedWorkspace extends Workspace {
  readonly secrets: Secrets;
  readonly config: Config;
  /** By auth_ref. */
  readonly tokens: ReadonlyMap<string, TokenAnswer>;
  /** By channel_id. */
  readonly chats: ReadonlyMap<string, ChatAnswer>;
  /** By alert_target_id. */
  readonly alertChats: ReadonlyMap<string, ChatAnswer>;
  /** By endpoint_id. */
  readonly webhooks: ReadonlyMap<string, Webhooks>;
  /** By source_id: why it cannot be read; undefined when it can. */
  readonly unreadSources: ReadonlyMap<string, UnreadSource>;
}

export interface UnreadSource {
  readonly reason: string;
  readonly hint: string | undefined;
}

export interface Platforms {
  readonly workspaces: readonly AskedWorkspace[];
  readonly times: readonly PlatformTime[];
}

/** What a check may need, by name. */
export interface Needs {
  readonly machine: Machine;
  readonly opening: Opening;
  readonly server: Server;
  readonly schema: Schema;
  readonly workspace: AskedWorkspace;
  readonly platforms: Platforms;
}

export type DoctorCheck = Check<Needs>;
