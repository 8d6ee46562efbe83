// A workspace that n8n works for: channels in the sandbox, an endpoint, and what became of its deliveries.

import { z } from 'zod';
import { applyWorkspace } from '../../../src/db/apply.ts';
import { wakeDispatchers } from '../../../src/db/dispatch.ts';
import { enqueueBatch } from '../../../src/db/intake.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import type { Called, N8nStage } from '../fixtures/n8n.ts';
import { addEndpoint } from '../posts/intake.ts';
import {
  addSandboxChannels,
  type SandboxChannel,
  type SandboxChannelsOptions,
  textsOf,
} from '../sandbox/sandbox-channels.ts';

const Delivery = z.object({
  channel_id: z.string(),
  text: z.string(),
  status: z.string(),
  attempt: z.int(),
  attempts_left: z.int(),
  code: z.string().nullable(),
});
type Delivery = z.output<typeof Delivery>;

const Event = z.object({ action: z.string(), run_id: z.string().nullable(), ms: z.number() });
type Event = z.output<typeof Event>;

export interface Orchestrated {
  readonly workspaceId: string;
  readonly channels: readonly SandboxChannel[];
  /** Pushes a post through n8n. */
  push(post: object): Promise<Called>;
  /** Puts posts into the queue, all at once and not through n8n. */
  enqueue(texts: readonly string[]): Promise<void>;
  /** Adds what a document says to the workspace. */
  apply(document: object): Promise<void>;
  deliveries(): Promise<Delivery[]>;
  /** Its events, oldest first, with the moment of each in milliseconds. */
  events(): Promise<Event[]>;
  /** The actions of its events, oldest first. */
  actions(): Promise<string[]>;
  /** What the chats show, by channel. */
  shown(): Record<string, string[]>;
}

export async function orchestrate(
  stage: Pick<N8nStage, 'database' | 'sandbox' | 'post'>,
  options: Omit<SandboxChannelsOptions, 'workspaceId'> & {
    readonly endpoint?: Readonly<Record<string, unknown>>;
  },
): Promise<Orchestrated> {
  const { database, sandbox } = stage;
  const workspaceId = database.newWorkspaceId();
  const secret = `secret-of-${workspaceId}`;
  const channels = await addSandboxChannels(database.admin, sandbox, { workspaceId, ...options });
  await addEndpoint(database.admin, workspaceId, secret, {
    ingress_rps: 1000,
    ...options.endpoint,
  });
  const events = (): Promise<Event[]> =>
    queryRows(
      database.admin,
      Event,
      `select action::text as action, meta ->> 'run_id' as run_id, extract(epoch from ts)::double precision * 1000 as ms
       from outrider.events where workspace_id = $1 order by ts, id`,
      [workspaceId],
    );
  return {
    workspaceId,
    channels,
    push: (post) => stage.post('ingest', post, { authorization: `Bearer ${secret}` }),
    async enqueue(texts) {
      const items = texts.map((text) => ({ text }));
      await enqueueBatch(database.service, { workspaceId, kind: 'push', items });
      await wakeDispatchers(database.service);
    },
    async apply(document) {
      const whole = { workspace: workspaceId, ...document };
      await applyWorkspace(database.admin, { document: whole, prune: false, dryRun: false });
    },
    deliveries: () =>
      queryRows(
        database.admin,
        Delivery,
        `select channel_id, rendered_text as text, status::text as status, attempt,
           attempt_limit - attempt as attempts_left, last_error ->> 'code' as code
         from outrider.deliveries where workspace_id = $1 order by channel_id, created_at`,
        [workspaceId],
      ),
    events,
    actions: async () => (await events()).map(({ action }) => action),
    shown: () =>
      Object.fromEntries(channels.map((each) => [each.channelId, textsOf(sandbox, each)])),
  };
}
