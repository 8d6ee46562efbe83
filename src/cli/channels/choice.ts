// Channels as a command line chooses them: by name, credential, rate group, platform.

import type { ListedChannel } from '../../db/channel-rows.ts';
import { type ChannelFilter, listChannels } from '../../db/inspect.ts';
import { NotFoundError } from '../../errors.ts';
import { type Place, withHint } from '../asking.ts';
import { nearest } from '../given/nearest.ts';
import { text } from '../given/options.ts';

export const choiceOptions = { credential: text, group: text, platform: text } as const;

export const choiceUsage = `  --credential C  only channels that post with a credential
  --group G       only channels of a rate group
  --platform P    only channels of a platform`;

export interface ChannelChoice {
  /** Ids, in which * stands for any characters and ? for one; none: all channels. */
  readonly names: readonly string[];
  readonly credential?: string | undefined;
  readonly group?: string | undefined;
  readonly platform?: string | undefined;
}

/** Whether anything is chosen at all. */
export function isChoice({ names, credential, group, platform }: ChannelChoice): boolean {
  return names.length > 0 || [credential, group, platform].some((each) => each !== undefined);
}

export function filterOf(choice: ChannelChoice): Omit<ChannelFilter, 'workspaceId'> {
  const { names, credential, group, platform } = choice;
  const channelIds = names.length === 0 ? undefined : names;
  return { channelIds, authRef: credential, rateGroup: group, platform };
}

/** The ids of the channels that are chosen; there must be some. */
export async function chosenChannels(place: Place, choice: ChannelChoice): Promise<string[]> {
  const { names, credential, group, platform } = choice;
  const found = await channelsBy(place, filterOf(choice));
  if (found.length > 0) return found.map((each) => each.channelId);
  const asked = [
    ...(names.length === 0 ? [] : [`name ${names.join(' or ')}`]),
    ...(credential === undefined ? [] : [`credential ${credential}`]),
    ...(group === undefined ? [] : [`rate group ${group}`]),
    ...(platform === undefined ? [] : [`platform ${platform}`]),
  ];
  throw new NotFoundError(`no channel has the ${asked.join(' and the ')}`, { hint });
}

const hint = 'outrider channels shows them with their credentials and groups';

/** listChannels, with an error for an unknown id that names the id that may be meant. */
export async function channelsBy(
  { client, workspaceId }: Place,
  filter: Omit<ChannelFilter, 'workspaceId'>,
): Promise<ListedChannel[]> {
  try {
    return await withHint(listChannels(client, { workspaceId, ...filter }), hint);
  } catch (error) {
    const [, quoted] = /has no channel ("(?:[^"\\]|\\.)*")/.exec(String(error)) ?? [];
    if (!(error instanceof NotFoundError) || quoted === undefined) throw error;
    const known = await listChannels(client, { workspaceId });
    const ids = known.map((each) => each.channelId);
    const meant = nearest(quoted.slice(1, -1), ids);
    const instead = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new NotFoundError(`there is no channel ${quoted}${instead}`, { hint });
  }
}
