import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { readSchemaFiles } from '../../src/db/migrate/files.ts';
import { schemaDir } from '../../src/db/open.ts';

const page = await readFile(path.join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

describe('docs/runbook.md', () => {
  it.each([
    'dead_letters',
    'failed_permanent',
    'validation_failed',
    'paused_channels',
    'channel_disabled',
    'credential_refused',
    'group_stopped',
    'oldest_due',
    'stale_leases',
    'pull_lag',
    'outbox_lag',
    'silent_service',
    'open_transaction',
    'orphaned_events',
    'store_refuses',
    'bot_errors',
    'bot_dead_replies',
    'bot_fallbacks',
    'bot_escalations',
    'bot_silence',
    'alert_undelivered',
  ])('has a section that an alert of kind %s links to', (kind) => {
    expect(headings.map(anchorOf)).toContain(kind);
  });

  it('has the ten operations, each with a command and a function that are there', async () => {
    const rows = [...page.matchAll(/^\| (\d+) \| .+ \| `outrider ([\w-]+).* \| (.+) \|$/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const known = (await readSchemaFiles(schemaDir)).functions.map((each) => each.name);
    for (const [, , command = '', functions = ''] of rows) {
      expect(commands.map((each) => each.name)).toContain(command);
      for (const name of functions.replaceAll('`', '').split(', ')) expect(known).toContain(name);
    }
  });

  it('names no command that there is not', () => {
    const named = [...page.matchAll(/`outrider\s([a-z-]+)/g)].map(([, name = '']) => name);
    const known = commands.map((each) => each.name);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('links to nothing on its own page that is not there', () => {
    const linked = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
    expect(linked.filter((anchor) => !headings.map(anchorOf).includes(anchor ?? ''))).toEqual([]);
  });
});
