// What became of every delivery: what the database says of it, and how often its chat shows it.

import { z } from 'zod';
import type { Sandbox } from '../../sandbox/start.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { type SandboxChannel, textsOf } from '../support/sandbox/sandbox-channels.ts';
import type { Platform } from '../support/sandbox/three-platforms.ts';

export interface PlatformCounts {
  deliveries: number;
  once: number;
  twice: number;
  /** Not shown, and held for an operator because nobody could tell whether it had arrived. */
  held: number;
  /** Not shown, and not held: lost. */
  never: number;
}

export interface Reckoning {
  readonly platforms: Readonly<Record<Platform, PlatformCounts>>;
  /** Accepted posts that are not there, or not for every channel of their workspace. */
  readonly missing: readonly string[];
  /** Texts in a chat of another workspace. */
  readonly astray: number;
}

const Delivery = z.object({
  channel_id: z.string(),
  rendered_text: z.string(),
  code: z.string().nullable(),
});

export async function reckon(
  admin: Queryable,
  sandbox: Pick<Sandbox, Platform>,
  workspaces: ReadonlyMap<
    string,
    { channels: readonly SandboxChannel[]; accepted: readonly string[] }
  >,
): Promise<Reckoning> {
  const platforms = { telegram: none(), max: none(), vk: none() };
  const missing: string[] = [];
  let astray = 0;
  for (const [workspaceId, { channels, accepted }] of workspaces) {
    const rows = await queryRows(
      admin,
      Delivery,
      `select channel_id, rendered_text, last_error ->> 'code' as code
       from outrider.deliveries where workspace_id = $1`,
      [workspaceId],
    );
    const byText = Map.groupBy(rows, (row) => row.rendered_text);
    for (const text of accepted) {
      if (byText.get(text)?.length !== channels.length) missing.push(`${workspaceId}: ${text}`);
    }
    for (const channel of channels) {
      const counts = platforms[channel.platform];
      const shown = Map.groupBy(textsOf(sandbox, channel), (text) => text);
      for (const { rendered_text: text, code } of rows.filter(isOf(channel))) {
        counts.deliveries += 1;
        const times = shown.get(text)?.length ?? 0;
        if (times === 1) counts.once += 1;
        else if (times > 1) counts.twice += 1;
        else if (code === 'outcome_unknown') counts.held += 1;
        else counts.never += 1;
      }
      astray += [...shown.keys()].filter((text) => !text.startsWith(`${workspaceId} `)).length;
    }
  }
  return { platforms, missing, astray };
}

function none(): PlatformCounts {
  return { deliveries: 0, once: 0, twice: 0, held: 0, never: 0 };
}

function isOf(channel: SandboxChannel): (row: z.output<typeof Delivery>) => boolean {
  return (row) => row.channel_id === channel.channelId;
}

/** How many deliveries are not over. */
export async function underWay(admin: Queryable): Promise<number> {
  const { count } = await queryRow(
    admin,
    z.object({ count: z.number() }),
    `select count(*)::int from outrider.deliveries
     where status in ('queued', 'retry', 'claimed', 'sending')`,
    [],
  );
  return count;
}
