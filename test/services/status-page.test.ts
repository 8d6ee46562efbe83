import type { BrowserContextOptions, Page, Response } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import { addDelivery, addWorkspace, after } from '../support/database/seed.ts';
import {
  missingBrowser,
  seriousFaults,
  sidewaysScroll,
  useBrowser,
} from '../support/fixtures/browser.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { openStatusServer, type StatusServer } from '../support/http/status-server.ts';
import { startTcpProxy } from '../support/http/tcp-proxy.ts';
import {
  addCity,
  addFailedPost,
  addTrouble,
  addWork,
  present,
  states,
} from '../support/status/city.ts';

// The status page as people see it, in a headless Chromium.

const database = await useDatabase();
const browser = useBrowser();
const undo = useUndo();
const phone = { width: 390, height: 844 };
const desk = { width: 1440, height: 900 };
let server: StatusServer;
let failedPost: string;
/** Shared by the tests that only look. */
let onPhone: Page;

beforeAll(async () => {
  for (const workspaceId of ['city', 'town']) {
    await addCity(database, workspaceId);
    if (workspaceId === 'town') await addTrouble(database, workspaceId);
    await addWork(database, workspaceId);
  }
  await addFailedPost(database, 'town', 'harbour-lost-pets');
  failedPost = await addFailedPost(database, 'city', 'harbour-lost-pets');
  for (const [n, state] of states.entries()) {
    await addWorkspace(database.admin, `state-${n}`);
    await state.make(database, `state-${n}`);
  }
  server = await openStatusServer({
    client: database.service,
    workspaceId: 'city',
    now: () => after(present),
  });
  if (missingBrowser === undefined) {
    const context = await browser().newContext({ viewport: phone });
    onPhone = await context.newPage();
  }
  return () => server.stop();
});

/** Elements that stick out of the card that they are in. */
function overflowing(page: Page): Promise<unknown> {
  return page.evaluate(
    `[...document.querySelectorAll('.card *, .verdict *')]
       .filter((each) => !each.closest('.unseen, thead, svg'))
       .filter((each) => each.getBoundingClientRect().right > each.closest('.card, .verdict').getBoundingClientRect().right + 1)
       .map((each) => each.outerHTML.slice(0, 100))`,
  );
}

/** Words that have so little room that they stand letter under letter. */
function squeezed(page: Page): Promise<unknown> {
  return page.evaluate(
    `[...document.querySelectorAll('main *')]
       .filter((each) => each.textContent.length > 10 && !each.closest('.unseen, thead, svg'))
       .filter((each) => each.clientHeight > 100 && each.clientWidth < 40)
       .map((each) => each.outerHTML.slice(0, 100))`,
  );
}

interface Opened {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: readonly string[];
  /** The bytes of every answer, unpacked. */
  readonly bytes: () => Promise<number>;
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser().newContext({ viewport: desk, ...options });
  undo.push(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const answers: Response[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('response', (answer) => {
    if (!answer.url().includes('/status/live?')) answers.push(answer);
  });
  await page.goto(`${server.url}${path}`);
  const bytes = async (): Promise<number> => {
    const bodies = await Promise.all(answers.map((each) => each.body()));
    return bodies.reduce((sum, body) => sum + body.byteLength, 0);
  };
  return { page, complaints, bytes };
}

/** Clicks on what leads to another page, and waits until that page is there. */
async function follow(page: Page, selector: string): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.click(selector);
  await loaded;
}

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  'light-1440': {},
  'dark-1440': { colorScheme: 'dark' },
  'light-390': { viewport: phone },
  'dark-390': { viewport: phone, colorScheme: 'dark' },
};

/** STATUS_PICTURES names a folder for those who want to look. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['STATUS_PICTURES'];
  if (folder === undefined) return;
  await page.screenshot({ path: `${folder}/${name}.png` });
  await page.screenshot({ path: `${folder}/${name}-whole.png`, fullPage: true });
}

async function isLive(page: Page): Promise<void> {
  await expect.poll(() => page.textContent('#live')).toBe('live');
}

describe.skipIf(missingBrowser !== undefined)('the status page', () => {
  it('shows forty channels in less than 100 kB; the browser complains of nothing, and no serious fault is found', async () => {
    const { page, complaints, bytes } = await open('/status');
    expect(await page.locator('.channels tbody tr').count()).toBe(40);
    expect(await page.locator('.channels svg.spark path.sent').count()).toBe(40);
    expect(await page.locator('svg.chart path.layer').count()).toBeGreaterThan(3);
    await isLive(page);
    expect(await bytes()).toBeLessThan(100_000);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('fits a phone in dark colours, without a serious fault for those who use a screen reader', async () => {
    const { page, complaints } = await open('/status', { viewport: phone, colorScheme: 'dark' });
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe('rgb(15, 20, 26)');
    expect(complaints).toEqual([]);
  });

  it.each(states.map((state, n) => ({ ...state, n })))(
    'has a verdict on $title, and says what there is to know',
    async ({ verdict, words, n }) => {
      await onPhone.goto(`${server.url}/status?workspace=state-${n}`);
      const page = onPhone;
      expect(await page.textContent('#verdict-words')).toBe(verdict);
      const shown = (await page.innerText('body')).replaceAll(/\s+/g, ' ');
      for (const each of words)
        expect(shown).toMatch(each instanceof RegExp ? each : literal(each));
      expect(await sidewaysScroll(page)).toBe(0);
    },
  );

  it('lists what needs somebody, and apart from it what was acknowledged', async () => {
    for (const [name, options] of Object.entries(looks)) {
      const { page } = await open('/status?workspace=town', options);
      await isLive(page);
      expect(await page.textContent('#verdict-words')).toBe('2 things need you');
      const wrong = await page.locator('.wrong li').allInnerTexts();
      expect(wrong.map((each) => each.replaceAll(/\s+/g, ' '))).toEqual([
        expect.stringMatching(
          /^critical Channel "old-town-news" is disabled: 403.*enable old-town-news/,
        ),
        expect.stringMatching(/^critical 1 delivery is dead in riverside-jobs/),
      ]);
      expect(await page.textContent('#known')).toContain('Acknowledged by ann');
      expect(await page.locator('.channels tbody tr').first().innerText()).toContain('disabled');
      expect(await sidewaysScroll(page)).toBe(0);
      expect(await overflowing(page)).toEqual([]);
      await keepPicture(page, name);
    }
  });

  it('works without a script: the workspace is chosen, a post is found and explained', async () => {
    const { page } = await open('/status?workspace=state-0', { javaScriptEnabled: false });
    await page.selectOption('#workspace', 'city');
    await follow(page, '.chooser button');
    expect(await page.locator('.channels tbody tr').count()).toBe(40);
    await follow(page, '.spans a:has-text("3h")');
    expect(page.url()).toContain('span=3h');
    await page.fill('#q', 'grey cat');
    await follow(page, '.search button');
    await follow(page, 'a:has-text("Found: a grey cat")');
    expect(page.url()).toContain(failedPost);
    const shown = await page.innerText('main');
    expect(shown).toContain('message is too long');
    expect(shown).toContain('refused for good');
    expect(shown).toContain('cat-17');
    expect(shown).not.toContain('123-45-67');
  });

  it('leads from its counts and channels to the deliveries, page by page, without a script', async () => {
    const { page } = await open('/status?workspace=city', { javaScriptEnabled: false });
    await follow(page, '.facts a:right-of(:text("Due"))');
    expect(await page.innerText('h1')).toBe('Deliveries: queued');
    const rows = page.locator('.found tbody tr');
    expect(await rows.count()).toBeGreaterThan(40);
    await page.selectOption('#status', 'all');
    await follow(page, '.choice button');
    expect(await rows.count()).toBe(50);
    const first = await rows.first().locator('a').getAttribute('href');
    await follow(page, 'text=Older ones');
    expect(await rows.count()).toBeGreaterThan(0);
    expect(await rows.first().locator('a').getAttribute('href')).not.toBe(first);
    await follow(page, 'text=‹ Status');
    await follow(page, '.channels a:has-text("Harbour lost pets")');
    await page.selectOption('#status', 'failed_permanent');
    await follow(page, '.choice button');
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/Found: a grey cat.*harbour-lost-pets.*failed.*message is too long/s),
    ]);
    await follow(page, '.found tbody a');
    expect(page.url()).toContain(failedPost);
  });

  it('paints before its script has come', async () => {
    const context = await browser().newContext();
    undo.push(() => context.close());
    const page = await context.newPage();
    await page.route('**/live.js*', () => undefined); // it never comes
    await page.goto(`${server.url}/status`, { waitUntil: 'commit' });
    const painted = "performance.getEntriesByName('first-contentful-paint').length";
    await expect.poll(() => page.evaluate(painted)).toBe(1);
    expect(await page.evaluate('document.readyState')).not.toBe('complete');
  });

  it('updates in place, and keeps the focus, the place on the screen and what is open', async () => {
    const { page, complaints } = await open('/status?workspace=city');
    await isLive(page);
    await page.click('#queue-numbers summary');
    await page.focus('.hour a');
    await page.evaluate('window.scrollTo(0, 1000)');
    const place =
      "Math.round(document.getElementById('channel-north-jobs').getBoundingClientRect().top)";
    const before = await page.evaluate(place);
    const due = await page.innerText('.facts dd');
    await addDelivery(database.admin, 'city', 'harbour-events');
    await database.admin.query(
      `update outrider.pull_cursors set failures = 1, failing_since = $1, last_error = 'no such host'
       where workspace_id = 'city'`,
      [after(present)],
    );
    server.clock.advance(3000);
    await expect.poll(() => page.textContent('#verdict-words')).toBe('1 thing needs you');
    expect(await page.textContent('#spoken')).toBe('1 thing needs you');
    expect(Number(await page.innerText('.facts dd'))).toBe(Number(due) + 1);
    expect(await page.evaluate(place)).toBe(before);
    expect(await page.evaluate("document.activeElement.closest('.hour') !== null")).toBe(true);
    expect(await page.evaluate("document.getElementById('queue-numbers').open")).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('leads a keyboard from its first stop to the content', async () => {
    const { page } = await open('/status');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('shows a post, lists of deliveries, and a search with and without results, without a fault at both widths', async () => {
    for (const viewport of [desk, phone]) {
      for (const path of [
        `/status/posts/${failedPost}?workspace=city`,
        '/status/posts?workspace=city&q=cat',
        '/status/posts?workspace=city&q=zeppelin',
        '/status/deliveries?workspace=city',
        '/status/deliveries?workspace=city&status=dead',
      ]) {
        const { page, complaints } = await open(path, { viewport });
        expect(await sidewaysScroll(page)).toBe(0);
        expect(await squeezed(page)).toEqual([]);
        expect(complaints).toEqual([]);
        expect(await seriousFaults(page)).toEqual([]);
        await keepPicture(page, `${path.replaceAll(/\W+/g, '-').slice(8, 60)}-${viewport.width}`);
      }
    }
  });

  it('says that the database is gone, with what it knew before, and goes on when it is back', async () => {
    const proxy = await startTcpProxy(database.url);
    const pool = openPool({ url: proxy.url, applicationName: 'status', max: 2 });
    const own = await openStatusServer({ client: pool, now: () => after(present) });
    undo.push(async () => {
      await own.stop();
      await pool.end();
      proxy.close();
    });
    const context = await browser().newContext();
    undo.push(() => context.close());
    const page = await context.newPage();
    await page.goto(`${own.url}/status?workspace=state-1`);
    await isLive(page);
    await proxy.greet('refused');
    proxy.cut();
    own.clock.advance(3000);
    await expect.poll(() => page.textContent('#verdict-words')).toBe('This page is not up to date');
    expect(await page.innerText('#verdict')).toContain('The database does not answer.');
    expect(await page.innerText('#channels')).toContain('City news');
    const other = await context.newPage();
    const answer = await other.goto(`${own.url}/status?workspace=state-2`);
    expect(answer?.status()).toBe(503);
    expect(await other.innerText('h1')).toBe('The database does not answer');
    expect(await seriousFaults(other)).toEqual([]);
    await proxy.greet('served');
    own.clock.advance(30_000);
    await expect.poll(() => page.textContent('#verdict-words')).toBe('Everything is out');
  });
});

function literal(words: string): RegExp {
  return new RegExp(words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
}
