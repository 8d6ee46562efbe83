// A simulator on a socket, an adapter on a real transport, and a record of what passed between them.

import { Buffer } from 'node:buffer';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect } from 'vitest';
import { type MovableClock, movableClock } from '../../sandbox/clock.ts';
import type { FaultScript } from '../../sandbox/faults.ts';
import { startServer } from '../../sandbox/server.ts';
import type { MediaView, PostView, SandboxRequest, Simulator } from '../../sandbox/simulator.ts';
import type {
  AcknowledgedPart,
  Adapter,
  ChangeOutcome,
  ChatInspection,
  CredentialCheck,
  Edit,
  Part,
  SendError,
  SendOptions,
  SendOutcome,
  SendRequest,
} from '../../src/adapters/adapter.ts';
import { errorCodes } from '../../src/adapters/error-codes.ts';
import { createTransport } from '../../src/http/transport.ts';
import type { Harness, Place } from './harness.ts';

/** 2026-03-02T10:00:00Z */
const start = 1_772_445_600_000;
/** Long enough for a loaded machine. */
const patience = 20_000;
/** For calls that get no answer. It is enough for them to arrive, and for the answers before them. */
const impatience = 1500;

export interface Call {
  readonly method: string;
  readonly request: SandboxRequest;
}

/** One post as a reader sees it: an album is one. */
export interface Shown {
  readonly ids: readonly string[];
  readonly text: string;
  readonly html: string;
  readonly media: readonly MediaView[];
  readonly buttons: PostView['buttons'];
}

export interface Attempt extends Partial<SendOptions> {
  /** Give up on an answer soon. */
  readonly isHasty?: boolean;
}

export interface Stage {
  /** Of the simulator. */
  readonly url: string;
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly clock: MovableClock;
  readonly faults: FaultScript;
  readonly place: Place;
  /** Every call that has reached the server. */
  readonly calls: readonly Call[];
  /** Comes when the next call of the method has been read, before it is answered. */
  nextCall(method: string): Promise<void>;
  request(changes?: Partial<SendRequest>): SendRequest;
  /** Sends, and checks what every outcome must fulfil. */
  send(changes?: Partial<SendRequest>, attempt?: Attempt): Promise<SendOutcome>;
  edit(ids: readonly string[], edit: Partial<Edit>): Promise<ChangeOutcome>;
  remove(ids: readonly string[]): Promise<ChangeOutcome>;
  check(token?: string, attempt?: Pick<Attempt, 'isHasty'>): Promise<CredentialCheck>;
  /** Looks at a chat, that of the channel when none is named. */
  inspect(targetId?: string, attempt?: Pick<Attempt, 'isHasty'>): Promise<ChatInspection>;
  shown(): Shown[];
  texts(): string[];
  close(): Promise<void>;
}

export interface StageOptions {
  /** Changes what the provider answers. */
  readonly disguise?: (simulator: Simulator) => Simulator;
}

async function openStage(harness: Harness, options: StageOptions = {}): Promise<Stage> {
  const clock = movableClock(start);
  const calls: Call[] = [];
  const waiting = new Map<string, () => void>();
  const server = await startServer({
    clock,
    create(context) {
      const real = harness.createSimulator(context);
      const describe = (request: SandboxRequest) => {
        const call = real.describe(request);
        calls.push({ method: call.method, request });
        waiting.get(call.method)?.();
        return call;
      };
      return { ...(options.disguise?.(real) ?? real), describe };
    },
  });
  const transport = createTransport();
  const make = (timeoutMs: number) =>
    harness.createAdapter({
      baseUrl: server.url,
      transport,
      timeoutMs,
      now: () => new Date(clock.now()),
    });
  const adapter = make(patience);
  const hasty = make(impatience);
  const place = harness.populate(server.simulator);
  const { token } = harness;
  const channel = {
    channelId: 'a-channel',
    targetId: place.targetId,
    authRef: 'an-account',
    settings: place.settings ?? {},
  };
  const request = (changes: Partial<SendRequest> = {}): SendRequest => ({
    deliveryId: deliveryIdAt(clock.now()),
    traceId: 'trace-1',
    channel,
    token,
    text: 'Пропал рыжий пёс',
    format: 'None',
    disablePreview: false,
    buttons: [],
    media: [],
    parts: planOf(changes),
    partsDone: new Map(),
    outcomeUnknown: false,
    ...changes,
  });
  const shown = () => {
    const chat = server.simulator.chats().find((each) => each.chat === place.targetId);
    return readAlbums(chat?.posts ?? []);
  };
  return {
    url: server.url,
    adapter,
    simulator: server.simulator,
    clock,
    faults: server.faults,
    place,
    calls,
    nextCall: (method) => new Promise((resolve) => waiting.set(method, resolve)),
    request,
    async send(changes = {}, attempt = {}) {
      const { isHasty = false, ...given } = attempt;
      const sending = request(changes);
      const outcome = await (isHasty ? hasty : adapter).send(sending, {
        signal: new AbortController().signal,
        holds: () => true,
        onPart: async () => undefined,
        beforeCall: async () => undefined,
        onMoved: async () => undefined,
        ...given,
      });
      expectClean(outcome, sending.token);
      if (!outcome.ok) expectError(outcome.error);
      return outcome;
    },
    async edit(ids, edit) {
      const post = { channel, token, providerMessageIds: ids };
      const whole: Edit = {
        text: 'Нашёлся',
        format: 'None',
        disablePreview: false,
        buttons: [],
        isCaption: false,
        ...edit,
      };
      return checked(await adapter.edit(post, whole, new AbortController().signal), token);
    },
    async remove(ids) {
      const post = { channel, token, providerMessageIds: ids };
      return checked(await adapter.remove(post, new AbortController().signal), token);
    },
    async check(asked = token, { isHasty = false } = {}) {
      const { signal } = new AbortController();
      const outcome = await (isHasty ? hasty : adapter).check(asked, signal);
      expectClean(outcome, asked);
      if (!outcome.ok) expectError(outcome.error);
      return outcome;
    },
    async inspect(targetId = place.targetId, { isHasty = false } = {}) {
      const asked = { channel: { ...channel, targetId }, token };
      const beforeCall = async () => undefined;
      const { signal } = new AbortController();
      const outcome = await (isHasty ? hasty : adapter).inspect?.(asked, { signal, beforeCall });
      if (outcome === undefined) throw new Error('the adapter cannot look at chats');
      expectClean(outcome, token);
      if (!outcome.ok) expectError(outcome.error);
      return outcome;
    },
    shown,
    texts: () => shown().map((post) => post.text),
    async close() {
      await server.close();
      await transport.close();
    },
  };
}

/** A stage for each test. */
export function useStage(harness: Harness, options?: StageOptions): () => Stage {
  let stage: Stage | undefined;
  beforeEach(async () => {
    stage = await openStage(harness, options);
  });
  afterEach(() => stage?.close());
  return () => {
    if (stage === undefined) throw new Error('The stage is open only within a test.');
    return stage;
  };
}

/** An id as the database makes them: of version 7, with the time in front. */
export function deliveryIdAt(time: number, serial = 1): string {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7abc-8def-${serial.toString(16).padStart(12, '0')}`;
}

/** In one part: the text, or the media with the text as their caption. */
function planOf({ media = [], text, buttons = [] }: Partial<SendRequest>): Part[] {
  const hasButtons = buttons.length > 0;
  if (media.length === 0) return [{ kind: 'text', buttons: hasButtons }];
  const places = media.map((_medium, place) => place);
  return [{ kind: 'media', media: places, caption: text !== '', buttons: hasButtons }];
}

function readAlbums(posts: readonly PostView[]): Shown[] {
  const albums = Map.groupBy(posts, (post) => post.album ?? `only ${post.id}`);
  return [...albums.values()].map((album) => ({
    ids: album.map((post) => post.id),
    text: album.map((post) => post.text).join(''),
    html: album.map((post) => post.html).join(''),
    media: album.flatMap((post) => post.media),
    buttons: album.flatMap((post) => post.buttons),
  }));
}

function checked(outcome: ChangeOutcome, token: string): ChangeOutcome {
  expectClean(outcome, token);
  if (!outcome.ok) expectError(outcome.error);
  return outcome;
}

/** The token is nowhere in it, in no form. */
export function expectClean(value: unknown, token: string): void {
  const text = `${JSON.stringify(value)} ${inspect(value, { depth: 20, showHidden: true })}`;
  const bytes = Buffer.from(token);
  const forms = [
    token,
    encodeURIComponent(token),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
  expect(forms.filter((form) => text.includes(form))).toEqual([]);
}

function expectError(error: SendError): void {
  expect(['TRANSIENT', 'PERMANENT']).toContain(error.category);
  expect(['delivery', 'channel', 'platform']).toContain(error.scope);
  expect(Object.keys(errorCodes)).toContain(error.code);
  expect(['refused', 'not_sent', 'unknown']).toContain(error.outcome);
  expect(error.message).toMatch(/\S/);
  // What the database takes: an outcome that it refuses would be lost.
  const { retryAfterMs = 0 } = error;
  expect(Number.isSafeInteger(retryAfterMs) && retryAfterMs >= 0).toBe(true);
  expect(retryAfterMs).toBeLessThanOrEqual(30 * 86_400_000);
  const kept = JSON.stringify(error);
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(64 * 1024);
  expect(kept).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
}

/** The error of an outcome that must be one. */
export function errorOf(
  outcome: SendOutcome | ChangeOutcome | CredentialCheck | ChatInspection,
): SendError {
  if (outcome.ok) throw new Error('It went well, and should not have.');
  return outcome.error;
}

/** The ids of the parts of an outcome that must be a success. */
export function idsOf(outcome: SendOutcome): string[] {
  if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  return outcome.partsDone.map((part: AcknowledgedPart) => part.providerMessageId);
}
