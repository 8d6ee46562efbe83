// What a process tells about its work, step by step, so that it can be measured and traced. Whoever works is given an
// observer and calls it. When nobody observes, it is `unobserved`: its calls do nothing, and nothing is gathered for them.

/** An HTTP request that was answered. */
export interface RequestFacts {
  readonly method: string;
  /** The route, never the address; undefined when there is nothing at the address. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
}

/** A post that came in, and what became of it. Times are those of `now()`. */
export interface PostFacts {
  /** Over HTTP, from a pull source, or by a call of the program that Outrider runs in. */
  readonly way: 'push' | 'pull' | 'call';
  readonly startedAt: number;
  readonly endedAt: number;
  /** Of the answer over HTTP. */
  readonly status?: number | undefined;
  /** The trace of the sender's request, if it names one. */
  readonly caller?: TraceContext | undefined;
  /** Undefined when the post was not kept. */
  readonly kept: KeptPost | undefined;
}

/** Where a request stands in its sender's trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** A post in the database. */
export interface KeptPost {
  readonly workspaceId: string;
  readonly messageId: string;
  /** As the record has it. */
  readonly traceId: string;
  /** One of the deliveries that were made of it; undefined when there is none. */
  readonly deliveryId: string | undefined;
  readonly queued: number;
  /** When the database was asked to keep it, and when it had. */
  readonly askedAt: number;
  readonly keptAt: number;
}

/** What the database answers of a post that it has kept. */
interface AcceptedPost {
  readonly messageId: string;
  readonly traceId: string;
  readonly channels: readonly { readonly verdict: string; readonly deliveryId?: string }[];
}

export function keptPost(
  workspaceId: string,
  { messageId, traceId, channels }: AcceptedPost,
  times: Pick<KeptPost, 'askedAt' | 'keptAt'>,
): KeptPost {
  const queued = channels.filter((each) => each.verdict === 'queued');
  const deliveryId = queued[0]?.deliveryId;
  const { askedAt, keptAt } = times;
  return { workspaceId, messageId, traceId, deliveryId, queued: queued.length, askedAt, keptAt };
}

export interface ClaimFacts {
  readonly startedAt: number;
  readonly deliveries: number;
}

/** What an adapter said of a send. */
export type SendResult = 'sent' | 'refused' | 'not_sent' | 'unknown';

/** One attempt to send a delivery, from its claim to its commit. Times are those of `now()`. */
export interface AttemptFacts {
  readonly workspaceId: string;
  readonly channelId: string;
  readonly platform: string;
  readonly deliveryId: string;
  readonly messageId: string;
  readonly traceId: string;
  readonly attempt: number;
  /** When it might first be sent, as PostgreSQL writes times. */
  readonly notBefore: string;
  readonly claimAskedAt: number;
  readonly claimedAt: number;
  readonly sendStartedAt: number;
  readonly sendEndedAt: number;
  readonly committedAt: number;
  readonly result: SendResult;
  /** Of the error; undefined when it was sent. */
  readonly code: string | undefined;
  /** The state that it has now, or why its outcome was not recorded. */
  readonly became: string;
}

export interface CommitFacts {
  readonly startedAt: number;
  readonly outcomes: number;
}

/** A delivery, or an answer of a bot, that was handed to a platform. */
export interface SendFacts {
  readonly startedAt: number;
  readonly platform: string;
  readonly result: SendResult;
}

/** A batch of outbox events that was handed to a broker. */
export interface PublishFacts {
  readonly startedAt: number;
  readonly published: number;
  readonly failed: number;
}

/** Who is told. */
export interface Watcher {
  request?(facts: RequestFacts): void;
  post?(facts: PostFacts): void;
  claim?(facts: ClaimFacts): void;
  /** A send of a delivery begins. */
  sendStarted?(): void;
  /** It has ended; `attempt` or `send` tells more. */
  sendEnded?(): void;
  /** A send for somebody else, who claims and commits. */
  send?(facts: SendFacts): void;
  attempt?(facts: AttemptFacts): void;
  commit?(facts: CommitFacts): void;
  reply?(facts: SendFacts): void;
  publish?(facts: PublishFacts): void;
}

export interface Observer extends Required<Watcher> {
  /** False: nobody is told, and nobody need gather facts. */
  readonly isOn: boolean;
  /** Milliseconds since some moment; only differences count. 0 when nobody is told. */
  now(): number;
}

const nothing = (): void => undefined;

export const unobserved: Observer = Object.freeze({
  isOn: false,
  now: () => 0,
  request: nothing,
  post: nothing,
  claim: nothing,
  sendStarted: nothing,
  sendEnded: nothing,
  send: nothing,
  attempt: nothing,
  commit: nothing,
  reply: nothing,
  publish: nothing,
});

/** Tells all of them. A watcher that fails must not harm the work, so it has to be made not to. */
export function observedBy(watchers: readonly Watcher[]): Observer {
  if (watchers.length === 0) return unobserved;
  return {
    isOn: true,
    now: () => performance.now(),
    request(facts) {
      for (const each of watchers) each.request?.(facts);
    },
    post(facts) {
      for (const each of watchers) each.post?.(facts);
    },
    claim(facts) {
      for (const each of watchers) each.claim?.(facts);
    },
    sendStarted() {
      for (const each of watchers) each.sendStarted?.();
    },
    sendEnded() {
      for (const each of watchers) each.sendEnded?.();
    },
    send(facts) {
      for (const each of watchers) each.send?.(facts);
    },
    attempt(facts) {
      for (const each of watchers) each.attempt?.(facts);
    },
    commit(facts) {
      for (const each of watchers) each.commit?.(facts);
    },
    reply(facts) {
      for (const each of watchers) each.reply?.(facts);
    },
    publish(facts) {
      for (const each of watchers) each.publish?.(facts);
    },
  };
}
