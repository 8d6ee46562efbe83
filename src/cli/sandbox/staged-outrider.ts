// Connects the stage of a sandbox with the Outrider beside it: the page posts as any program does, shows what became of
// posts, and the bots of the demo hear what is written to them.

import { z } from 'zod';
import { simulated } from '../../../sandbox/platforms.ts';
import type { Pushed, RecentDelivery, RecentPost } from '../../../sandbox/stage/outrider.ts';
import type { Sandbox } from '../../../sandbox/start.ts';
import { adapterFor } from '../../adapters/adapter-for.ts';
import type { Config } from '../../config.ts';
import { type ListedDelivery, listChannels, listDeliveries } from '../../db/inspect.ts';
import { enableChannels, resumeChannels } from '../../db/operate.ts';
import { openPool, type Queryable } from '../../db/pool.ts';
import { postExcerpts } from '../../db/status.ts';
import { openProviders } from '../../roles/providers.ts';
import { reopenDemo } from '../apply/demo.ts';
import { userName } from '../given/operator.ts';
import { stepInBrief } from '../screen/next-step.ts';
import { oneLine } from '../screen/shown-text.ts';
import { relative } from '../screen/times.ts';
import { demoSecret } from './place.ts';

const workspaceId = 'demo';
/** As presets/demo.yaml calls it. */
const endpointId = 'push';
/** How many of the newest deliveries the page shows, and of how many posts. */
const shown = { deliveries: 40, posts: 3 };

export interface StagePlace {
  readonly sandbox: Sandbox;
  /** With the addresses and tokens of the sandbox. */
  readonly config: Config;
  readonly serviceUrl: string;
  /** Where Outrider takes posts in. */
  readonly url: string;
}

/** Returns what undoes it. */
export async function connectStage(place: StagePlace): Promise<() => Promise<void>> {
  const { sandbox, url } = place;
  const { tokenRef, isOpen } = place.config.status;
  const options = { url: place.serviceUrl, applicationName: 'outrider sandbox page' };
  const client = openPool({ ...options, max: 1 });
  await subscribeBots(place);
  sandbox.stage.connect({
    ingestUrl: `${url}/v1/ingest`,
    statusUrl: isOpen || tokenRef !== undefined ? `${url}/status` : undefined,
    endpoints: [endpointId],
    push: (_endpoint, post) => push(url, post),
    recent: () => recentPosts(client),
    resume: () => resumeAll(client),
  });
  return () => client.end();
}

const Verdicts = z.object({
  channels: z
    .array(
      z.object({
        channel_id: z.string(),
        verdict: z.string(),
        rule: z.string().optional(),
        because: z.string().optional(),
        reason: z.string().optional(),
      }),
    )
    .optional(),
});
const Refused = z.object({
  error: z.object({ message: z.string(), hint: z.string().optional() }),
});

async function push(url: string, post: Readonly<Record<string, unknown>>): Promise<Pushed> {
  const answer = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demoSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify(post),
  });
  const body: unknown = await answer.json();
  if (answer.status === 202 || answer.status === 200) {
    return { isTaken: true, words: verdictsInWords(Verdicts.parse(body)) };
  }
  const { error } = Refused.parse(body);
  return { isTaken: false, words: [error.message, error.hint].filter(Boolean).join('; ') };
}

function verdictsInWords({ channels = [] }: z.output<typeof Verdicts>): string {
  const queued = channels.filter(({ verdict }) => verdict === 'queued');
  const others = channels
    .filter(({ verdict }) => verdict !== 'queued')
    .map(({ channel_id, verdict, rule, because, reason }) => {
      const why = rule ?? because ?? reason;
      return `${channel_id} ${verdict.replaceAll('_', ' ')}${why === undefined ? '' : ` (${why})`}`;
    });
  const names = queued.map(({ channel_id }) => channel_id).join(', ');
  const first = queued.length === 0 ? 'Accepted, for no channel' : `Accepted for ${names}`;
  return `${[first, ...others].join('; ')}.`;
}

async function recentPosts(client: Queryable): Promise<RecentPost[]> {
  const now = new Date();
  const listed = await listDeliveries(client, { workspaceId, limit: shown.deliveries });
  const posts = [...Map.groupBy(listed, ({ messageId }) => messageId)].slice(0, shown.posts);
  const messageIds = posts.map(([id]) => id);
  const excerpts = await postExcerpts(client, { workspaceId, messageIds });
  return posts.map(([id, deliveries]) => ({
    id,
    text: excerpts.get(id) ?? '',
    deliveries: deliveries
      .map((each) => inWords(each, now))
      .toSorted((a, b) => a.channel.localeCompare(b.channel)),
  }));
}

function inWords(delivery: ListedDelivery, now: Date): RecentDelivery {
  const { channelId: channel, status, attempt } = delivery;
  const tone = toneOf(delivery);
  if (status === 'sent')
    return { channel, status, tone, why: attempt > 1 ? `attempt ${attempt}` : '' };
  const { errorCode, errorMessage, nextBecause: because, nextAt: at, nextReason } = delivery;
  const said = oneLine(errorMessage ?? errorCode ?? '');
  const waits =
    because === null || plainSteps.has(because)
      ? ''
      : stepInBrief(
          { because, at, reason: said === '' ? (nextReason ?? undefined) : undefined },
          now,
        );
  const next =
    waits !== '' || at === null || status !== 'retry' ? '' : `again ${relative(at, now)}`;
  return {
    channel,
    status,
    tone,
    why: [said, waits, next].filter((each) => each !== '').join('; '),
  };
}

/** What every post goes through. */
const plainSteps: ReadonlySet<string> = new Set(['in_line', 'slot', 'being_sent']);

function toneOf({ status, nextBecause }: ListedDelivery): RecentDelivery['tone'] {
  if (status === 'sent') return 'sent';
  if (status === 'failed_permanent' || status === 'dead') return 'failed';
  const waits = nextBecause !== null && !plainSteps.has(nextBecause);
  return waits || status === 'deduped' || status === 'retry' ? 'waiting' : 'going';
}

/** As `outrider channels enable` and `resume` do, and `outrider auth check` with a token that is good again. */
async function resumeAll(client: Queryable): Promise<string> {
  const order = { workspaceId, operator: userName(), reason: 'the page of the sandbox' };
  const channels = await listChannels(client, { workspaceId });
  const of = (state: string) =>
    channels
      .filter(({ gates }) => gates.some((gate) => gate.state === state && !gate.of_group))
      .map(({ channelId }) => channelId);
  const [disabled, paused] = [of('disabled'), of('paused')];
  if (disabled.length > 0) await enableChannels(client, { ...order, channelIds: disabled });
  if (paused.length > 0) await resumeChannels(client, { ...order, channelIds: paused });
  await reopenDemo(client, userName());
  const named = [...new Set([...disabled, ...paused])];
  return named.length === 0
    ? 'No channel was paused. Credentials that a platform had refused are tried again.'
    : `They go on: ${named.join(', ')}.`;
}

/** As `outrider bot subscribe` does, for the demo's bots. */
async function subscribeBots({ config, url }: StagePlace): Promise<void> {
  const providers = await openProviders(config);
  try {
    for (const { name, demo } of simulated) {
      const webhooks = adapterFor(providers.adapters, name)?.webhooks;
      if (!('botSecret' in demo) || webhooks === undefined) continue;
      const webhook = { url: `${url}/v1/bot/${name}`, secret: demo.botSecret };
      const done = await webhooks.subscribe(demo.token, webhook, AbortSignal.timeout(10_000));
      if (!done.ok) throw new Error(`the sandbox did not take the webhook: ${done.error.message}`);
    }
  } finally {
    await providers.close();
  }
}
