// Keeps raw requests and answers, as each workspace wishes. What cannot be kept is left out: no send and no request fails
// for it, and none waits for it for long.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import {
  type KeptPayload,
  keepPayload,
  type PayloadPolicy,
  payloadPolicy,
} from '../db/payloads.ts';
import type { Queryable } from '../db/pool.ts';
import type { OriginStore } from '../media/origin-store.ts';
import type { PayloadStore } from './payload-store.ts';
import { answerBytes, type RawAnswer, type RawRequest, requestBytes } from './raw-message.ts';

export interface PayloadKeeper {
  /** The name under which the answer is kept; undefined when it is not. */
  keepAnswer(answer: {
    readonly workspaceId: string;
    readonly deliveryId: string;
    readonly isError: boolean;
    readonly raw: RawAnswer;
  }): Promise<string | undefined>;
  /** Called when the request is answered: nobody waits for it. */
  keepRequest(request: {
    readonly workspaceId: string;
    readonly isError: boolean;
    readonly raw: RawRequest;
    readonly messageId?: string | undefined;
    readonly runId?: string | undefined;
  }): Promise<void>;
  /** Whether what went well may be wanted, too. Costs nothing to ask. */
  mayWantAll(workspaceId: string): boolean;
}

export interface KeeperOptions {
  readonly client: Queryable;
  readonly store: PayloadStore;
  /** Removes the object of a payload that cannot be recorded. */
  readonly objects: Pick<OriginStore, 'remove'>;
  readonly clock: Clock;
  /** Told when something cannot be kept, and when it can be again. */
  readonly trouble: { failed(error: unknown): void; over(): void };
  /** Told of each that is left out of a storm. */
  readonly crowd: { failed(error: unknown): void };
  /** How long an outcome waits for its answer to be kept. */
  readonly waitMs?: number | undefined;
}

/** What is known of a workspace's policy. */
interface Asked {
  policy: PayloadPolicy | undefined;
  readonly answered: Promise<void>;
  readonly from: number;
}

/** So many are being written at most. Other answers are left out: in a storm of failures a few tell what is wrong. */
const atOnce = 16;
/** Requests, for which nobody waits, may wait in line. */
const inLine = 64;
const policyMs = 10_000;

export function createPayloadKeeper(options: KeeperOptions): PayloadKeeper {
  const { client, store, objects, clock, trouble, crowd, waitMs = 2000 } = options;
  const policies = new Map<string, Asked>();
  const line: (() => void)[] = [];
  let underWay = 0;

  /** As of ten seconds ago at most; what cannot be asked is as before, or `none`. */
  async function policyOf(workspaceId: string): Promise<PayloadPolicy> {
    const known = ask(workspaceId);
    await known.answered;
    return known.policy ?? 'none';
  }

  function ask(workspaceId: string): Asked {
    const before = policies.get(workspaceId);
    if (before !== undefined && clock.now() - before.from < policyMs) return before;
    const asked: Asked = {
      policy: before?.policy,
      from: clock.now(),
      answered: payloadPolicy(client, workspaceId).then(
        (policy) => void (asked.policy = policy),
        (error: unknown) => trouble.failed(error),
      ),
    };
    policies.set(workspaceId, asked);
    return asked;
  }

  async function keep(
    workspaceId: string,
    isError: boolean,
    bytes: () => Buffer,
    of: Pick<KeptPayload, 'kind' | 'deliveryId' | 'messageId' | 'runId'>,
  ): Promise<string | undefined> {
    if (!(await begun(of.kind === 'request'))) return undefined;
    try {
      const policy = await policyOf(workspaceId);
      if (policy === 'none' || (policy === 'errors' && !isError)) return undefined;
      const payloadRef = randomUUID();
      const put = await store.put({ workspaceId, payloadRef }, bytes());
      const isKept = await record({ workspaceId, payloadRef, ...put, ...of });
      trouble.over();
      return isKept ? payloadRef : undefined;
    } catch (error) {
      trouble.failed(error);
      return undefined;
    } finally {
      ended();
    }
  }

  /** Takes a place, or waits in line for one; false when there is none. */
  async function begun(mayWait: boolean): Promise<boolean> {
    if (underWay < atOnce) {
      underWay += 1;
      return true;
    }
    if (!mayWait || line.length >= inLine) {
      crowd.failed(new Error(`${atOnce} are being written already`));
      return false;
    }
    await new Promise<void>((resolve) => line.push(resolve));
    return true;
  }

  function ended(): void {
    const next = line.shift();
    if (next === undefined) underWay -= 1;
    else next();
  }

  /** An object without a row would stay for ever. */
  async function record(payload: KeptPayload): Promise<boolean> {
    try {
      if (await keepPayload(client, payload)) return true;
    } catch (error) {
      await objects.remove(payload.objectUrl);
      throw error;
    }
    await objects.remove(payload.objectUrl);
    return false;
  }

  return {
    async keepAnswer({ workspaceId, deliveryId, isError, raw }) {
      const kept = keep(workspaceId, isError, () => answerBytes(raw), {
        kind: 'answer',
        deliveryId,
      });
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const callOff = clock.after(waitMs, () => resolve(undefined));
      try {
        return await Promise.race([kept, late]);
      } finally {
        callOff();
      }
    },
    async keepRequest({ workspaceId, isError, raw, messageId, runId }) {
      const of = { kind: 'request', messageId, runId } as const;
      await keep(workspaceId, isError, () => requestBytes(raw), of);
    },
    mayWantAll: (workspaceId) => (ask(workspaceId).policy ?? 'all') === 'all',
  };
}
