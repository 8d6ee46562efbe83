// Asks the platforms about the tokens and chats of workspaces, and the rest of a workspace about itself. Nothing is
// written anywhere. Each question has an end, and not all are asked at once.

import { adapterFor } from '../adapters/adapter-for.ts';
import type { ListedCredential } from '../db/inspect.ts';
import { type AskingOptions, askRest, nothingAsked } from './ask-rest.ts';
import { createIllness, type Illness } from './illness.ts';
import type {
  AskedWorkspace,
  ChatAnswer,
  PostedChat,
  TokenAnswer,
  Workspace,
} from './installation.ts';
import { byKey } from './side-by-side.ts';
import { askPaced } from './slots.ts';

interface Asking extends AskingOptions {
  readonly illness: Illness;
}

/** Everything, or, for a look at channels alone, neither sources nor alert targets nor webhooks. */
export type Extent = 'everything' | 'channels';

export async function askPlatforms(
  options: AskingOptions,
  workspaces: readonly Workspace[],
  extent: Extent,
): Promise<AskedWorkspace[]> {
  const asking: Asking = { ...options, illness: createIllness() };
  const asked: AskedWorkspace[] = [];
  for (const workspace of workspaces) asked.push(await askAbout(asking, workspace, extent));
  return asked;
}

async function askAbout(
  asking: Asking,
  workspace: Workspace,
  extent: Extent,
): Promise<AskedWorkspace> {
  const { config, secrets, begin } = asking;
  const { credentials, channels, more } = workspace;
  begin(`asking the platforms about ${credentials.length} credentials`);
  const known = await byKey(
    credentials,
    (each) => each.authRef,
    (each) => askToken(asking, workspace, each),
  );
  const tokens = new Map([...known].map(([authRef, { answer }]) => [authRef, answer]));

  begin(`asking the platforms about ${channels.length} chats`);
  const settings = new Map(more.channels.map((each) => [each.channel_id, each.settings]));
  const look = (at: PostedChat): Promise<ChatAnswer> => lookAtChat(asking, workspace, at, known);
  const chats = await byKey(
    channels,
    (each) => each.channelId,
    (each) => look({ ...each, settings: settings.get(each.channelId) ?? {} }),
  );
  const secretOf = (authRef: string): string | undefined => known.get(authRef)?.secret;
  const rest =
    extent === 'everything' ? await askRest(asking, workspace, { look, secretOf }) : nothingAsked;
  return { ...workspace, config, secrets, tokens, chats, ...rest };
}

/** The secret stays here. */
interface KnownToken {
  readonly answer: TokenAnswer;
  readonly secret?: string;
}

async function askToken(
  asking: Asking,
  { workspaceId, channels }: Workspace,
  credential: ListedCredential,
): Promise<KnownToken> {
  const { authRef, platform, secretRef } = credential;
  if (secretRef === null) return { answer: { kind: 'unbound' } };
  const read = await asking.secrets.ofCredential(credential);
  if (!read.ok) return { answer: { kind: 'unreadable', reason: read.reason } };
  const adapter = adapterFor(asking.adapters, platform);
  if (adapter === undefined) return { answer: { kind: 'no_adapter' } };
  const ill = asking.illness.of(platform);
  if (ill !== undefined) return { answer: { kind: 'not_asked', error: ill } };
  const users = channels.filter((each) => each.authRef === authRef && each.platform === platform);
  const [rateGroup = authRef] = users.map((each) => each.rateGroup).toSorted();
  const found = await askPaced(
    asking,
    { workspaceId, platform, rateGroup },
    ({ signal, beforeCall }) => adapter.check(read.secret, signal, beforeCall),
  );
  if (found.ok) {
    const { account, faults = [], groupRps } = found;
    return { answer: { kind: 'good', account, faults, groupRps }, secret: read.secret };
  }
  const { error } = found;
  if (error.cause === 'credential') return { answer: { kind: 'refused', error } };
  asking.illness.note(platform, error);
  return { answer: { kind: 'not_asked', error } };
}

async function lookAtChat(
  asking: Asking,
  { workspaceId }: Workspace,
  channel: PostedChat,
  known: ReadonlyMap<string, KnownToken>,
): Promise<ChatAnswer> {
  const { platform, authRef, rateGroup } = channel;
  const token = known.get(authRef)?.secret;
  const adapter = adapterFor(asking.adapters, platform);
  if (token === undefined || adapter?.inspect === undefined) return undefined;
  const inspect = adapter.inspect.bind(adapter);
  const ill = asking.illness.of(platform);
  if (ill !== undefined) return { ok: false, error: ill };
  const found = await askPaced(asking, { workspaceId, platform, rateGroup }, (calling) =>
    inspect({ channel, token }, calling),
  );
  if (!found.ok) asking.illness.note(platform, found.error);
  return found;
}
