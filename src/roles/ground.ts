// What the roles of a process share: connections, adapters, the media store, the broker. Each is opened when the first
// role asks for it. `close` closes them, the last one first, and leaves open what was given from outside.

import type { Adapter } from '../adapters/adapter.ts';
import type { Replier } from '../bot/replier.ts';
import type { SendReply } from '../bot/send-reply.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { listenForWakes } from '../db/listen.ts';
import type { Database } from '../db/open.ts';
import type { Queryable } from '../db/pool.ts';
import type { ConnectionSource } from '../db/transaction.ts';
import type { Deliver } from '../dispatch/deliver.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { HeldPort } from '../http/held-port.ts';
import type { Transport } from '../http/transport.ts';
import type { Log } from '../log.ts';
import { createMediaFetcher, type MediaFetcher } from '../media/media-fetcher.ts';
import type { OriginStore } from '../media/origin-store.ts';
import type { Broker } from '../outbox/broker.ts';
import { type PayloadKeys, readPayloadKeys } from '../payloads/keys.ts';
import { createSecrets, type Secrets } from '../secrets.ts';
import type { NamedHealth } from '../service.ts';
import { openConfiguredBroker } from './configured-broker.ts';
import { openStores } from './configured-stores.ts';
import { openConnections, type Purpose } from './connections.ts';
import { type Observing, openObserving } from './observing.ts';
import { openProviders, openTransport } from './providers.ts';
import type { RunningRole } from './role.ts';

/** What a caller may give in place of what the configuration says. The caller closes what it gives. */
export interface Means {
  /** Connections to use for a purpose. */
  readonly pools?: Partial<Pools> | undefined;
  /** Where media are kept. */
  readonly store?: OriginStore | undefined;
  /** Where raw payloads are kept, encrypted. */
  readonly payloadObjects?: OriginStore | undefined;
  /** Adapters by their platform, besides ours or in place of them. */
  readonly adapters?: Readonly<Record<string, Adapter>> | undefined;
  /** Where events are published to. */
  readonly broker?: Broker | undefined;
  /** Measures leases and pauses. */
  readonly clock?: Clock | undefined;
  /** Listens for notifications. */
  readonly listen?: typeof listenForWakes | undefined;
  /** Wraps every send. */
  readonly around?: ((deliver: Deliver) => Deliver) | undefined;
  /** Wraps every sending of a bot's reply. */
  readonly aroundReply?: ((send: SendReply) => SendReply) | undefined;
  /** How often the roles look for work without being woken, metrics are counted, and the status page is read again. */
  readonly intervals?: Intervals | undefined;
  /** The port that is held for the HTTP server; it is released when the server starts. */
  readonly heldPort?: HeldPort | undefined;
}

export interface Intervals {
  readonly pollMs?: number | undefined;
  readonly recoverEveryMs?: number | undefined;
  readonly monitorEveryMs?: number | undefined;
  readonly beatEveryMs?: number | undefined;
  readonly pullEveryMs?: number | undefined;
  readonly countEveryMs?: number | undefined;
  readonly statusEveryMs?: number | undefined;
}

export interface Pools {
  readonly intake: Queryable;
  readonly claims: Queryable;
  readonly outcomes: Queryable;
  readonly publish: ConnectionSource;
  readonly status: Queryable;
}

export interface Ground {
  readonly config: Config;
  readonly database: Pick<Database, 'serviceUrl'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly store: OriginStore;
  readonly payloadObjects: OriginStore;
  readonly pools: Readonly<{ [Name in Purpose]: () => Pools[Name] }>;
  /** The names of the roles of this process, from before the first one starts. */
  wanted: readonly string[];
  /** The roles of this process that run, in the order of their start. */
  readonly running: RunningRole[];
  /** What the process is doing instead of its work, while it starts or stops. */
  passing: 'starting' | 'stopping' | undefined;
  /** The dispatcher of this process, while it runs. */
  dispatcher: Dispatcher | undefined;
  /** What sends the replies of bots in this process, while it runs. */
  replier: Replier | undefined;
  /** The gateway of this process, if the server of ingest has it. */
  gateway: Gateway | undefined;
  readonly listen: typeof listenForWakes;
  readonly around: (deliver: Deliver) => Deliver;
  readonly aroundReply: (send: SendReply) => SendReply;
  readonly intervals: Intervals;
  readonly heldPort: HeldPort | undefined;
  /** What is measured and traced here. */
  readonly observing: Observing;
  adapters(): Promise<Readonly<Record<string, Adapter>>>;
  fetcher(): MediaFetcher;
  /** Calls to the platforms beside those of the adapters. */
  transport(): Promise<Transport>;
  /** Undefined when no key is configured: then no raw payload is kept. */
  payloadKeys(): Promise<PayloadKeys | undefined>;
  broker(): Promise<Broker>;
  /** Of each role that runs, and of the process while it starts or stops. */
  health(): readonly NamedHealth[];
  close(): Promise<void>;
}

export interface GroundOptions {
  readonly config: Config;
  readonly database: Pick<Database, 'serviceUrl'>;
  readonly log: Log;
  readonly means?: Means | undefined;
}

export function openGround({ config, database, log, means = {} }: GroundOptions): Ground {
  const closers: (() => Promise<unknown>)[] = [];
  const given = means.pools ?? {};
  const secrets = createSecrets(config.secrets);
  const stores = openStores(config, secrets);
  closers.push(async () => stores[Symbol.asyncDispose]());
  const store = means.store ?? stores.media;
  const clock = means.clock ?? systemClock;
  const observing = openObserving({ config, secrets, log, clock });
  closers.push(() => observing.stop());

  function pool(purpose: Purpose): ReturnType<typeof openConnections> {
    const opened = openConnections(database.serviceUrl, purpose);
    closers.push(() => opened.end());
    observing.watchPool(purpose, opened);
    return opened;
  }

  const ground: Ground = {
    config,
    database,
    log,
    store,
    payloadObjects: means.payloadObjects ?? stores.payloads,
    clock,
    secrets,
    pools: {
      intake: once(() => given.intake ?? pool('intake')),
      claims: once(() => given.claims ?? pool('claims')),
      outcomes: once(() => given.outcomes ?? pool('outcomes')),
      publish: once(() => given.publish ?? pool('publish')),
      status: once(() => given.status ?? pool('status')),
    },
    wanted: [],
    running: [],
    passing: undefined,
    dispatcher: undefined,
    replier: undefined,
    gateway: undefined,
    listen: means.listen ?? listenForWakes,
    around: means.around ?? ((deliver) => deliver),
    aroundReply: means.aroundReply ?? ((send) => send),
    intervals: means.intervals ?? {},
    heldPort: means.heldPort,
    observing,
    adapters: once(async () => {
      const providers = await openProviders(config);
      closers.push(() => providers.close());
      return { ...providers.adapters, ...means.adapters };
    }),
    fetcher: once(() => {
      const fetcher = createMediaFetcher({ store, ...config.media, log });
      closers.push(() => fetcher.close());
      return fetcher;
    }),
    transport: once(async () => {
      const transport = await openTransport(config);
      closers.push(() => transport.close());
      return transport;
    }),
    payloadKeys: once(() => readPayloadKeys(config.payloadKeyRef, secrets)),
    broker: once(async () => {
      if (means.broker !== undefined) return means.broker;
      const broker = await openConfiguredBroker(config, secrets, log);
      closers.push(() => broker.close());
      return broker;
    }),
    health() {
      const { running, passing } = ground;
      const ofRoles = running.map((each) => ({ name: each.name, health: each.health() }));
      if (passing === undefined) return ofRoles;
      return [...ofRoles, { name: 'process', health: { ok: false, reason: `it is ${passing}` } }];
    },
    async close() {
      const faults: unknown[] = [];
      for (const close of closers.splice(0).toReversed()) {
        await close().catch((fault: unknown) => void faults.push(fault));
      }
      if (faults.length > 0) throw new AggregateError(faults, 'not everything could be closed');
    },
  };
  return ground;
}

/** Opens it when it is first asked for. What could not be opened is tried again by whoever asks next. */
function once<Value>(open: () => Value): () => Value {
  let opened: { readonly value: Value } | undefined;
  return () => {
    if (opened === undefined) {
      const opening = { value: open() };
      opened = opening;
      if (opening.value instanceof Promise) {
        opening.value.catch(() => {
          if (opened === opening) opened = undefined;
        });
      }
    }
    return opened.value;
  };
}
