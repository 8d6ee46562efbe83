import { expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { runPuller } from '../support/processes/puller-child.ts';
import { addSource } from '../support/pull/pull-ground.ts';
import { randomFrom } from '../support/random-numbers.ts';

const database = await useDatabase();
const items = 1000;
const kills = 50;

it('a puller that is killed 50 times, between and within chunks, loses nothing and repeats nothing', async () => {
  const workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  await addSource(database.admin, { workspaceId, config: { limit: 10 } });
  const random = randomFrom(7);
  const databaseUrl = database.url;

  for (let n = 0; n < kills; n += 1) {
    const when = (['before', 'within', 'after'] as const)[n % 3] ?? 'within';
    const death = { chunk: 1 + Math.floor(random() * 2), when, afterMs: random() * 12 };
    // The lease of the one before is over.
    expect(await runPuller({ databaseUrl, items, now: after(n * 120), death })).toBe('SIGKILL');
  }
  expect(await runPuller({ databaseUrl, items, now: after(kills * 120) })).toBe(0);

  const rows = await queryRows(
    database.admin,
    z.object({ text: z.string() }),
    'select rendered_text as text from outrider.deliveries where workspace_id = $1 order by seq',
    [workspaceId],
  );
  expect(rows.map((row) => row.text)).toEqual(Array.from({ length: items }, (_, n) => `Post ${n}`));
  const cursors = await queryRows(
    database.admin,
    z.object({ items_taken: z.string(), cursor_json: z.unknown() }),
    'select items_taken, cursor_json from outrider.pull_cursors where workspace_id = $1',
    [workspaceId],
  );
  expect(cursors).toEqual([{ items_taken: String(items), cursor_json: { at: items } }]);
}, 300_000);
