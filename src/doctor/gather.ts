// Gathers what the checks look at: first the server, then our schema in it, then what the platforms say.

import type { Adapter } from '../adapters/adapter.ts';
import { platforms } from '../adapters/platforms.ts';
import type { Clock } from '../clock.ts';
import { findSchemaDrift } from '../db/catalogue/schema-drift.ts';
import { readServerFacts } from '../db/catalogue/server-facts.ts';
import { examineInstallation, examineWorkspace } from '../db/doctor.ts';
import { listChannels, listCredentials, listRateGroups } from '../db/inspect.ts';
import { listAlertTargets } from '../db/monitor.ts';
import { openClient, type Queryable } from '../db/pool.ts';
import { listPullSources } from '../db/pull.ts';
import type { Secrets } from '../secrets.ts';
import { askPlatforms, type Extent } from './ask-platforms.ts';
import type { AskingOptions } from './ask-rest.ts';
import type { Gathered } from './examine.ts';
import type { Machine, Opening, Platforms, Schema, Server, Workspace } from './installation.ts';
import type { PlatformTime, WatchedTransport } from './platform-times.ts';

/** What the doctor is given to look with. */
export interface Means {
  readonly machine: Machine;
  readonly opening: Opening;
  /** The login's own address; missing when the server cannot be reached. */
  readonly url?: string | undefined;
  /** A connection in the role of the services; missing when the schema is not ours. */
  readonly client?: Queryable | undefined;
  readonly schemaDir: string;
  readonly version: string;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly adapters: Readonly<Record<string, Adapter>>;
  readonly transport: WatchedTransport;
  readonly wait: AskingOptions['wait'];
  readonly begin: AskingOptions['begin'];
  readonly signal?: AbortSignal | undefined;
  /** The time at which the database is looked at; undefined: its own. */
  readonly at?: string | undefined;
}

export async function gather(means: Means, workspaceIds: readonly string[]): Promise<Gathered> {
  const { machine, opening, begin } = means;
  begin('looking at the database');
  const server = means.url === undefined ? undefined : await gatherServer(means, means.url);
  const { client } = means;
  if (client === undefined) return { machine, opening, ...(server && { server }) };
  const workspaces = await gatherWorkspaces(client, workspaceIds);
  const schema = await gatherSchema(means, client, workspaces);
  const asked = await gatherPlatforms(means, client, workspaces, 'everything');
  return { machine, opening, ...(server && { server }), schema, platforms: asked };
}

/** For a look at channels alone: some, or all of a workspace. */
export async function gatherChannels(
  means: Means,
  client: Queryable,
  workspaceId: string,
  channelIds: readonly string[],
): Promise<Gathered> {
  const workspaces = await gatherWorkspaces(client, [workspaceId]);
  const chosen = workspaces.map((workspace) => onlyChannels(workspace, channelIds));
  return { platforms: await gatherPlatforms(means, client, chosen, 'channels') };
}

async function gatherServer({ signal, opening, machine, at }: Means, url: string): Promise<Server> {
  const client = await openClient({ url, applicationName: 'outrider doctor', signal });
  try {
    // The first answer may wait for a plan.
    await client.query('select clock_timestamp()');
    const { connectionsOfUp, now } = machine;
    const askedAt = now();
    const facts = await readServerFacts(client);
    const lookedAt = at === undefined ? facts.now : new Date(at);
    return {
      place: opening.place,
      facts,
      now: lookedAt,
      connectionsOfUp,
      askedAt,
      answeredAt: now(),
    };
  } finally {
    await client.end();
  }
}

async function gatherSchema(
  { schemaDir, version, at }: Means,
  client: Queryable,
  workspaces: readonly Workspace[],
): Promise<Schema> {
  const installation = await examineInstallation(client, at);
  const drift = await findSchemaDrift(client, schemaDir);
  return { installation, drift, workspaces, version };
}

async function gatherWorkspaces(client: Queryable, ids: readonly string[]): Promise<Workspace[]> {
  const workspaces: Workspace[] = [];
  for (const workspaceId of ids) {
    workspaces.push({
      workspaceId,
      channels: await listChannels(client, { workspaceId }),
      credentials: await listCredentials(client, workspaceId),
      groups: await listRateGroups(client, workspaceId),
      sources: await listPullSources(client, workspaceId),
      alertTargets: await listAlertTargets(client, workspaceId),
      more: await examineWorkspace(client, workspaceId),
    });
  }
  return workspaces;
}

/** All of them when none is named. */
function onlyChannels(workspace: Workspace, channelIds: readonly string[]): Workspace {
  if (channelIds.length === 0) return workspace;
  const channels = workspace.channels.filter((each) => channelIds.includes(each.channelId));
  const refs = new Set(channels.map((each) => each.authRef));
  const rateGroups = new Set(channels.map((each) => `${each.platform} ${each.rateGroup}`));
  const { more } = workspace;
  return {
    ...workspace,
    channels,
    credentials: workspace.credentials.filter((each) => refs.has(each.authRef)),
    groups: workspace.groups.filter((each) => rateGroups.has(`${each.platform} ${each.rateGroup}`)),
    more: {
      ...more,
      channels: more.channels.filter((each) => channelIds.includes(each.channel_id)),
      template_faults: [],
    },
  };
}

async function gatherPlatforms(
  means: Means,
  client: Queryable,
  workspaces: readonly Workspace[],
  extent: Extent,
): Promise<Platforms> {
  const { machine, transport } = means;
  const { config, patienceMs } = machine;
  const asked = await askPlatforms({ ...means, client, config, patienceMs }, workspaces, extent);
  const times = platforms.flatMap(({ name, title, apiUrl }): PlatformTime[] => {
    const time = transport.timeAt(config.apiUrls[name] ?? apiUrl);
    return time === undefined ? [] : [{ platform: title, ...time }];
  });
  return { workspaces: asked, times };
}
