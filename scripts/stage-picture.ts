// Takes the picture of docs/sandbox.md from a running `outrider up --sandbox`, with Debian's chromium:
//
//   node scripts/stage-picture.ts 'http://127.0.0.1:8081/?token=…'

import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';

const [address = ''] = process.argv.slice(2);
const folder = path.join(import.meta.dirname, '../docs');
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 1180 } });
  await page.goto(address);
  await page.locator('#live[data-state="live"]').waitFor();
  await act(page);
  await take(page, 'stage.png');
  await page.emulateMedia({ colorScheme: 'dark' });
  await take(page, 'stage-dark.png');
} finally {
  await browser.close();
}

/** With a palette, which makes it a third of the size. */
async function take(page: Page, name: string): Promise<void> {
  const picture = sharp(await page.screenshot());
  await picture.png({ palette: true, quality: 90, effort: 10 }).toFile(path.join(folder, name));
}

/** Posts, a conversation with the bot, and a platform that says 429. */
async function act(page: Page): Promise<void> {
  const wall = page.locator('.chat[data-kind="wall"]');
  await post(page, {
    heading: 'Open-air cinema',
    text: 'Friday, 21:00, in the park by the river. Bring a blanket.',
    tags: 'news',
    url: 'https://example.org/cinema',
  });
  await wall.getByText('Open-air cinema').waitFor();
  await post(page, {
    heading: 'Lost dog',
    text: 'Ginger, answers to Bim. Last seen near the station, with a blue collar.',
    tags: 'lost',
    photos: '3',
  });
  await wall.getByText('answers to Bim').waitFor();
  const dialog = page.locator('.chat[data-kind="dialog"]');
  await dialog.getByRole('textbox').fill('Здравствуйте!');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await dialog.getByRole('button', { name: 'Доставка' }).click();
  await dialog.getByText('Доставляем по городу').waitFor();
  await page.getByRole('switch', { name: '429 at Telegram' }).click();
  await page.locator('#fault-rate_limited-telegram[aria-checked="true"]').waitFor();
  await post(page, {
    heading: 'Road works',
    text: 'Main street is closed on Sunday.',
    tags: 'news',
  });
  await wall.getByText('Road works').waitFor();
  await page.locator('#posts [data-channel="tg-news"] .why', { hasText: 'Too Many' }).waitFor();
  await page.locator('.new').first().waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate('scrollTo(0, 0)');
}

async function post(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  if (fields['url'] !== undefined) await page.click('#post-form summary');
  for (const [name, value] of Object.entries(fields)) await page.fill(`#post-${name}`, value);
  await page.click('#post-form button');
  await page.locator('#said .good').waitFor();
  if (fields['url'] !== undefined) await page.click('#post-form summary');
}
