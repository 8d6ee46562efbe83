// Sends a composed post to a simulator in this process, through the platform's own adapter, and looks at the chat: what
// readers would see. So a preview has no idea of its own of how a platform shows a post.

import { movableClock } from '../../sandbox/clock.ts';
import { simulated } from '../../sandbox/platforms.ts';
import type { PostView, SimulatedPlatform, Simulator } from '../../sandbox/simulator.ts';
import type { AcknowledgedPart, Adapter, Part, SendOutcome } from '../adapters/adapter.ts';
import type { Platform } from '../adapters/platform.ts';
import { platforms } from '../adapters/platforms.ts';
import type { ClaimedDelivery } from '../db/claim.ts';
import { type SendContext, sendRequestOf } from '../dispatch/send-request.ts';
import { memoryTransport } from './memory-transport.ts';

/** What a send needs of a delivery. */
export type Rehearsed = Pick<ClaimedDelivery, 'payload' | 'renderedText' | 'renderMeta' | 'media'>;

export interface ShownPart {
  readonly part: Part;
  /** The messages that it makes in the chat; none when the platform refused it. */
  readonly messages: readonly PostView[];
}

export interface Rehearsal {
  readonly parts: readonly ShownPart[];
  /** Why the simulator did not take all of it. */
  readonly refusal: string | null;
}

/** Undefined when the platform has no simulator. */
export async function rehearse(
  platformName: string,
  post: Rehearsed,
): Promise<Rehearsal | undefined> {
  const stage = await stageOf(platformName);
  if (stage === undefined) return undefined;
  const { demo, simulator, adapter } = stage;
  const chat = demo.chats[0]?.id ?? '';
  const prepared = await sendRequestOf(deliveryOf(platformName, chat, post), contextOf(demo.token));
  if ('error' in prepared) return { parts: [], refusal: prepared.error.message };
  const { request } = prepared;
  const outcome = await adapter.send(request, {
    signal: new AbortController().signal,
    beforeCall: async () => undefined,
    holds: () => true,
    onPart: async () => undefined,
    onMoved: async () => undefined,
  });
  const posts = simulator.chats().find((each) => each.chat === chat)?.posts ?? [];
  const parts = request.parts.map((part, item) => ({
    part,
    messages: madeBy(outcome, item, posts),
  }));
  return { parts, refusal: outcome.ok ? null : outcome.error.message };
}

interface Stage {
  readonly demo: SimulatedPlatform['demo'];
  readonly simulator: Simulator;
  readonly adapter: Adapter;
}

async function stageOf(name: string): Promise<Stage | undefined> {
  const platform: Platform | undefined = platforms.find((each) => each.name === name);
  const twin: SimulatedPlatform | undefined = simulated.find((each) => each.name === name);
  if (platform === undefined || twin === undefined) return undefined;
  const clock = movableClock(Date.now());
  const baseUrl = 'http://preview.invalid';
  const simulator = twin.create({
    clock,
    baseUrl,
    makesChats: true,
    report: () => undefined,
    callWebhook: async () => undefined,
  });
  twin.demo.furnish(simulator);
  const adapter = await platform.create({ transport: memoryTransport(simulator, clock), baseUrl });
  return { demo: twin.demo, simulator, adapter };
}

/** A delivery to the chat of the demo: whether the channel's own chat is there is not a question for a preview. */
function deliveryOf(platform: string, targetId: string, post: Rehearsed): ClaimedDelivery {
  return {
    ...post,
    deliveryId: '00000000-0000-7000-8000-000000000000',
    claimToken: '',
    leaseMs: 60_000,
    attempt: 1,
    outcomeUnknown: false,
    notBefore: '',
    traceId: 'preview',
    messageId: '',
    channel: {
      channelId: 'preview',
      platform,
      targetId,
      authRef: 'preview',
      secretRef: null,
      rateGroup: 'preview',
      settings: {},
    },
  };
}

function contextOf(token: string): SendContext {
  return {
    secretOf: async () => ({ token }),
    openOrigin: async () => undefined,
    keepCopy: async () => undefined,
    forgetCopy: async () => undefined,
    now: () => new Date(),
  };
}

/** An album has an id for each of its messages. */
function madeBy(outcome: SendOutcome, item: number, posts: readonly PostView[]): PostView[] {
  const done: AcknowledgedPart | undefined = outcome.partsDone.find((each) => each.item === item);
  const ids = done?.providerMessageId.split(',') ?? [];
  return posts.filter(({ id }) => ids.includes(id));
}
