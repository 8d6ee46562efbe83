import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { max } from '../../sandbox/max/index.ts';
import { telegram } from '../../sandbox/telegram/index.ts';
import { vk } from '../../sandbox/vk/index.ts';
import { up } from '../../src/cli/up.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import {
  missingBrowser,
  seriousFaults,
  sidewaysScroll,
  useBrowser,
} from '../support/fixtures/browser.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';

// outrider up --sandbox with its page in a browser: what a newcomer does first.

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

const browser = useBrowser();
const database = await useDatabase();
const folder = await useFolder();

describe.skipIf(missingBrowser !== undefined)('the stage of outrider up --sandbox', () => {
  const stop = Promise.withResolvers<void>();
  const terminal = recordingTerminal({ stopped: stop.promise });
  let running: Promise<number>;
  /** As it is printed. */
  let address = '';
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    vi.stubEnv('DATABASE_URL', database.url);
    vi.stubEnv('OUTRIDER_DATA_DIR', folder);
    vi.stubEnv('OUTRIDER_PORT', '0');
    running = up.run(['--sandbox'], terminal);
    const printed = await vi.waitUntil(
      () => /http:\S+token=\S+/.exec(terminal.printedErrors()),
      60_000,
    );
    address = printed[0];
    context = await browser().newContext({ viewport: wide });
    page = await context.newPage();
    await page.goto(address);
    await page.locator('#live[data-state="live"]').waitFor();
  });

  afterAll(async () => {
    await context.close();
    stop.resolve();
    await running;
    vi.unstubAllEnvs();
  });

  const chat = (platform: string, id: string, on = page) =>
    on.locator(`.chat[data-platform="${platform}"][data-chat="${id}"]`);
  const wall = (on = page) => chat('vk', vk.demo.chats[0].id, on);
  const news = (on = page) => [
    chat('telegram', telegram.demo.chats[0].id, on),
    chat('max', max.demo.chats[0].id, on),
    wall(on),
  ];

  async function post(
    text: string,
    more: { tags?: string; photos?: string } = {},
    on = page,
  ): Promise<void> {
    await on.fill('#post-text', text);
    await on.fill('#post-tags', more.tags ?? '');
    await on.fill('#post-photos', more.photos ?? '0');
    await on.click('#post-form button');
  }

  it('takes the token out of the address', () => {
    expect(page.url()).toBe(`${new URL(address).origin}/`);
  });

  it('shows a post that is pushed in the form in the chats of every platform, live', async () => {
    await post('A ginger dog was seen at the station', { tags: 'lost', photos: '3' });
    for (const each of news()) {
      await each.getByText('A ginger dog was seen at the station').waitFor();
      await each.locator('.album[data-count="3"]').waitFor();
    }
    await page.locator('#said', { hasText: 'tg-deals not routed' }).waitFor();
    await page.locator('#posts [data-channel="vk-wall"][data-status="sent"]').waitFor();
    expect(await page.inputValue('#post-text')).toBe('');
  });

  it('calls a post on its way by its own words, not by those of a template', async () => {
    await post('A grey cat for a good home', { tags: 'lost, deal' });
    await page.locator('#posts .excerpt', { hasText: 'A grey cat' }).first().waitFor();
    expect(await page.locator('#posts .excerpt').first().innerText()).toBe(
      'A grey cat for a good home',
    );
  });

  it('leads to the status page of the Outrider beside it', async () => {
    const other = await context.newPage();
    await other.goto(page.url());
    await other.click('text=Status page of Outrider');
    expect(await other.innerText('#channels')).toContain('vk-wall');
    await other.close();
  });

  it('says why a post is refused at the door', async () => {
    await page.click('#post-form button');
    await page.locator('#said .bad').waitFor();
    expect(await page.textContent('#said')).toMatch(/text/);
  });

  it('lets a person talk to the bot, by words and by buttons', async () => {
    const dialog = page.locator('.chat[data-platform="max"][data-kind="dialog"]');
    await page.fill('[data-say="max-300000001"] input[name="text"]', 'Здравствуйте!');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('button', { name: 'Доставка' }).click();
    await dialog.getByText('Доставляем по городу за 1–3 дня').waitFor();
    expect(await dialog.locator('.message.own .text').allTextContents()).toEqual(['Здравствуйте!']);
  });

  it('switches a platform to 429 and back, and shows why the posts there wait', async () => {
    const control = page.getByRole('switch', { name: '429 at Telegram' });
    await control.click();
    await page.locator('#fault-rate_limited-telegram[aria-checked="true"]').waitFor();
    await post('Road works on Main street');
    await wall().getByText('Road works on Main street').waitFor();
    await page
      .locator('#posts [data-channel="tg-news"] .why', { hasText: /Too Many Requests/ })
      .waitFor();
    const call = page.locator('#calls [data-status="429"]').first();
    expect(await call.textContent()).toContain('Too Many Requests: retry after 5');
    await control.click();
    await page.locator('#fault-rate_limited-telegram[aria-checked="false"]').waitFor();
  });

  it('says beside its button to resume how posts that failed are sent again', async () => {
    expect(await page.innerText('#resume-form + p')).toContain(
      'outrider deliveries requeue --since',
    );
  });

  it('only shows, without the token', async () => {
    const stranger = await browser().newContext({ viewport: wide });
    const other = await stranger.newPage();
    await other.goto(new URL(address).origin);
    await other.locator('#read-only').waitFor();
    await news(other)[0]?.getByText('A ginger dog').waitFor();
    expect(await other.locator('button:enabled').count()).toBe(0);
    const status = await other.evaluate(
      `fetch('/stage/clear', { method: 'POST' }).then((answer) => answer.status)`,
    );
    expect(status).toBe(403);
    await stranger.close();
  });

  it('has the chats and a form that works without scripts', async () => {
    const plain = await browser().newContext({ viewport: narrow, javaScriptEnabled: false });
    const other = await plain.newPage();
    await other.goto(address);
    await news(other)[0]?.getByText('A ginger dog').waitFor();
    await post('Posted without a script', {}, other);
    await other.locator('#said .good').waitFor();
    // Live where there are scripts, and here with the next look.
    await wall(page).getByText('Posted without a script').waitFor();
    await other.reload();
    expect(await wall(other).getByText('Posted without a script').count()).toBe(1);
    await plain.close();
  });

  it.each([
    ['wide', wide, 'light'],
    ['wide', wide, 'dark'],
    ['narrow', narrow, 'light'],
    ['narrow', narrow, 'dark'],
  ] as const)('fits %s screens and everybody can use it: %o, %s', async (_, size, colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    expect(await sidewaysScroll(page)).toBe(0);
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(14, 16, 20)' : 'rgb(244, 245, 248)');
    expect(await seriousFaults(page)).toEqual([]);
  });
});
