// Asks what a workspace has besides channels: the chats of its alert targets, the webhooks of its bots, its sources.

import type { Adapter, Webhooks } from '../adapters/adapter.ts';
import { adapterFor } from '../adapters/adapter-for.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Queryable } from '../db/pool.ts';
import type { ListedSource } from '../db/pull.ts';
import { OutriderError } from '../errors.ts';
import type { Transport } from '../http/transport.ts';
import { kinds } from '../pull/kinds.ts';
import { openClaimed } from '../pull/opened-source.ts';
import { readers } from '../pull/readers.ts';
import { beforeCallOf } from '../pull/slots.ts';
import type { Secrets } from '../secrets.ts';
import type {
  AskedWorkspace,
  ChatAnswer,
  PostedChat,
  UnreadSource,
  Workspace,
} from './installation.ts';
import { byKey } from './side-by-side.ts';
import type { SlotsOptions } from './slots.ts';
import { within } from './within.ts';

export interface AskingOptions extends SlotsOptions {
  readonly client: Queryable;
  readonly clock: Clock;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly adapters: Readonly<Record<string, Adapter>>;
  readonly transport: Transport;
  /** Says what is being asked. */
  readonly begin: (what: string) => void;
}

type Rest = Pick<AskedWorkspace, 'alertChats' | 'webhooks' | 'unreadSources'>;

export const nothingAsked: Rest = {
  alertChats: new Map(),
  webhooks: new Map(),
  unreadSources: new Map(),
};

interface Known {
  readonly look: (chat: PostedChat) => Promise<ChatAnswer>;
  /** The secret of a credential whose token is good. */
  readonly secretOf: (authRef: string) => string | undefined;
}

export async function askRest(
  asking: AskingOptions,
  workspace: Workspace,
  known: Known,
): Promise<Rest> {
  const { alertTargets, more, sources } = workspace;
  const told = alertTargets.filter(({ enabled, address }) => enabled && address.kind === 'chat');
  const alertChats = await byKey(
    told,
    (each) => each.alertTargetId,
    ({ alertTargetId, address }) =>
      known.look({
        channelId: alertTargetId,
        platform: address.platform ?? '',
        targetId: address.targetId ?? '',
        authRef: address.authRef ?? '',
        rateGroup: address.rateGroup ?? address.authRef ?? '',
        settings: {},
      }),
  );
  const bots = more.endpoints.filter(({ kind }) => kind === 'bot_webhook');
  const webhooks = await byKey(
    bots,
    (each) => each.endpoint_id,
    ({ auth_ref: ref, platform }) => askWebhooks(asking, platform ?? '', known.secretOf(ref ?? '')),
  );
  const pulled = sources.filter(({ enabled }) => enabled);
  if (pulled.length > 0) asking.begin(`reading ${pulled.length} sources`);
  const unread = await byKey(
    pulled,
    (each) => each.sourceId,
    (each) => tryToRead(asking, workspace, each),
  );
  return { alertChats, webhooks: defined(webhooks), unreadSources: defined(unread) };
}

function defined<Value>(map: ReadonlyMap<string, Value | undefined>): Map<string, Value> {
  return new Map([...map].flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

async function askWebhooks(
  { adapters, patienceMs }: AskingOptions,
  platform: string,
  token: string | undefined,
): Promise<Webhooks | undefined> {
  const calls = adapterFor(adapters, platform)?.webhooks;
  if (token === undefined || calls === undefined) return undefined;
  return calls.list(token, AbortSignal.timeout(patienceMs));
}

/** Undefined when the source could be read. */
async function tryToRead(
  asking: AskingOptions,
  { workspaceId }: Workspace,
  source: ListedSource,
): Promise<UnreadSource | undefined> {
  const { secrets, config, transport, patienceMs } = asking;
  const { apiUrls, media } = config;
  const means = { secrets, privateHosts: media.privateHosts, apiUrls, transport };
  try {
    const opened = openClaimed({ kinds, readers, means }, source);
    const signal = AbortSignal.timeout(patienceMs);
    const beforeCall = beforeCallOf(asking, { ...source, workspaceId }, signal);
    try {
      const look = { cursor: source.cursor, limit: 1, signal, beforeCall };
      await within(patienceMs, opened.source.look(look));
      return undefined;
    } finally {
      await opened.source.close();
    }
  } catch (error) {
    if (error instanceof OutriderError) return { reason: error.message, hint: error.hint };
    return { reason: `it did not answer within ${patienceMs / 1000} s`, hint: undefined };
  }
}
