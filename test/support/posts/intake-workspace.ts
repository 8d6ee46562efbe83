// A workspace with everything that intake looks at: filters, windows, templates, platforms, media.

import type { Queryable } from '../../../src/db/pool.ts';
import { addChannel, addWorkspace, start } from '../database/seed.ts';
import { addTemplate } from './composed-posts.ts';
import { addEndpoint } from './intake.ts';
import { storedBlobs } from './request-stream.ts';

type Columns = Readonly<Record<string, unknown>>;

const channels: Readonly<Record<string, Columns>> = {
  all: {},
  again: { dedup_ttl_hours: 0, route_filter: { exclude: ['video', 'again'] } },
  card: { template_ref: 'card', settings: { parse_mode: 'HTML', on_format_error: 'plain' } },
  max: { platform: 'max', settings: { disable_preview: true } },
  off: { enabled: false },
  wall: { platform: 'vk', route_filter: { include_any: ['image', 'again'] } },
};

/** The endpoint `push` has the secret `secret-of-<workspace>` and drops repeats. */
export async function addIntakeWorkspace(admin: Queryable, workspaceId: string): Promise<void> {
  await addWorkspace(admin, workspaceId, { keep_deduped_rows: true, claim_per_channel: 1000 });
  const endpoint = { ingress_rps: 1_000_000, hash_drop_window_sec: 100_000 };
  await addEndpoint(admin, workspaceId, `secret-of-${workspaceId}`, endpoint);
  await addTemplate(admin, 'card', 1, '<b>{{title}}</b>\n{{text}} {{fa}}', {}, workspaceId);
  for (const [blobRef, bytes] of Object.entries(storedBlobs)) {
    await admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, size_bytes, last_seen_at, created_at)
       values ($1, $2, 'file:blob', $3, $4, $4)`,
      [workspaceId, blobRef, bytes, start],
    );
  }
  for (const [channelId, columns] of Object.entries({ ...channels, window: closedToday() })) {
    await addChannel(admin, workspaceId, channelId, columns);
  }
}

/** A window that opens in three days: nothing is sent there during a test. */
function closedToday(): Columns {
  const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const weekday = weekdays[new Date(Date.now() + 3 * 86_400_000).getUTCDay()] ?? '';
  return {
    window_mode: 'windowed',
    posting_window: { [weekday]: [['10:00', '14:00']] },
    timezone: 'UTC',
    send_mode: 'media',
    route_filter: { include_any: ['image', 'file'] },
  };
}
