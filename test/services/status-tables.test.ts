import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { addBacklog, addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { missingBrowser, useBrowser } from '../support/fixtures/browser.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { openStatusServer, type StatusServer } from '../support/http/status-server.ts';

// The tables of the status page with what takes much room: names that are as long as they may be, and sends under way.

const database = await useDatabase();
const browser = useBrowser();
const undo = useUndo();
const workspaceId = 'wide';
const longId = `news-${'of-a-long-name-'.repeat(7)}`.slice(0, 100);
let server: StatusServer;

beforeAll(async () => {
  await addWorkspace(database.admin, workspaceId);
  await addChannel(database.admin, workspaceId, longId, { target_id: '-100long' });
  await addChannel(database.admin, workspaceId, 'busy', { target_id: '-100busy' });
  await addChannel(database.admin, workspaceId, 'idle', { target_id: '-100idle' });
  await addBacklog(database.admin, workspaceId, [longId, 'busy'], 3);
  await database.admin.query(
    `update outrider.messages set source_ref = message_id, payload = payload || jsonb_build_object('text', repeat('a ginger dog ', 9))
     where workspace_id = $1`,
    [workspaceId],
  );
  await claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 10 }, start);
  server = await openStatusServer({ client: database.service, workspaceId, now: () => start });
  return () => server.stop();
});

async function open(path: string, width: number): Promise<Page> {
  const context = await browser().newContext({ viewport: { width, height: 900 } });
  undo.push(() => context.close());
  const page = await context.newPage();
  await page.goto(`${server.url}${path}`);
  return page;
}

/** On how many lines the words of each element stand. */
function linesOf(page: Page, selector: string): Promise<number[]> {
  return page.evaluate(
    `[...document.querySelectorAll('${selector}')].map((each) => {
       const range = document.createRange();
       range.selectNodeContents(each);
       return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
     })`,
  );
}

describe.skipIf(missingBrowser !== undefined)('a table of the status page', () => {
  it('keeps its headings and times on one line beside a channel with a long id', async () => {
    for (const path of ['/status/posts?q=ginger', '/status/deliveries']) {
      const page = await open(path, 1440);
      expect(await page.innerText('.found tbody')).toContain(longId);
      const lines = await linesOf(page, '.found thead th, .found time');
      expect(new Set(lines)).toEqual(new Set([1]));
    }
  });

  it('has rows of the same height, whether or not something is being sent', async () => {
    const page = await open('/status', 1100);
    const busy = page.locator('#channel-busy');
    expect(await busy.innerText()).toContain('3 being sent');
    const [height, other] = await Promise.all(
      [busy, page.locator('#channel-idle')].map(async (row) => (await row.boundingBox())?.height),
    );
    expect(height).toBe(other);
  });

  it('has the states of its channels at the right end on a phone', async () => {
    const page = await open('/status', 390);
    const ends: number[] = await page.evaluate(
      `['busy', 'idle'].map((id) => {
         const range = document.createRange();
         range.selectNodeContents(document.querySelector('#channel-' + id + ' .state'));
         return Math.round(range.getBoundingClientRect().right);
       })`,
    );
    expect(new Set(ends).size).toBe(1);
  });
});
