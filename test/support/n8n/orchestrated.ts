// A workspace that n8n works for: channels in the sandbox, an endpoint, and what became of its deliveries.

import { z } from 'zod';
import { applyWorkspace } from '../../../src/db/apply.ts';
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
  status: z.string(),
  attempt: z.int(),
  code: z.string().nullable(),
});
export type Delivery = z.output<typeof Delivery>;

export interface Orchestrated {
  readonly workspaceId: string;
  readonly channels: readonly SandboxChannel[];
  readonly secret: string;
  /** Pushes a post through n8n. */
  push(post: object, headers?: Readonly<Record<string, string>>): Promise<Called>;
  /** Adds what a document says to the workspace. */
  apply(document: object): Promise<void>;
  deliveries(): Promise<Delivery[]>;
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
  return {
    workspaceId,
    channels,
    secret,
    push: (post, headers) =>
      stage.post('ingest', post, { authorization: `Bearer ${secret}`, ...headers }),
    async apply(document) {
      const whole = { workspace: workspaceId, ...document };
      await applyWorkspace(database.admin, { document: whole, prune: false, dryRun: false });
    },
    deliveries: () =>
      queryRows(
        database.admin,
        Delivery,
        `select channel_id, status::text as status, attempt, last_error ->> 'code' as code
         from outrider.deliveries where workspace_id = $1 order by channel_id, created_at`,
        [workspaceId],
      ),
    async actions() {
      const Action = z.object({ action: z.string() });
      const text = `select action::text as action from outrider.events where workspace_id = $1 order by ts, id`;
      const rows = await queryRows(database.admin, Action, text, [workspaceId]);
      return rows.map(({ action }) => action);
    },
    shown: () =>
      Object.fromEntries(channels.map((each) => [each.channelId, textsOf(sandbox, each)])),
  };
}
