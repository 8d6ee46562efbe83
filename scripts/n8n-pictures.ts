// Takes the pictures of docs/n8n.md from a running n8n (make n8n), with Debian's chromium:
//
//   node scripts/n8n-pictures.ts http://127.0.0.1:5678 owner@outrider.example <password>

import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { z } from 'zod';
import { workflowsFolder } from './n8n/workflow-files.ts';

const [url = 'http://127.0.0.1:5678', email = '', password = ''] = process.argv.slice(2);
const pictures = path.join(import.meta.dirname, '../docs/n8n');
/** n8n lays its advice for production over the canvas. */
const withoutAdvice = '[data-reka-popper-content-wrapper] { display: none !important }';

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 2000, height: 1100 } });
  page.setDefaultTimeout(180_000); // n8n is slow on a busy machine
  await page.goto(`${url}/signin`);
  const login = await page.request.post(`${url}/rest/login`, {
    data: { emailOrLdapLoginId: email, password },
  });
  if (!login.ok()) throw new Error(`n8n refuses the login: ${await login.text()}`);
  await mkdir(pictures, { recursive: true });
  for (const file of (await readdir(workflowsFolder)).filter((each) => /^\d/.test(each))) {
    const text = await readFile(path.join(workflowsFolder, file), 'utf8');
    const { id, nodes } = z
      .object({ id: z.string(), nodes: z.array(z.unknown()) })
      .parse(JSON.parse(text));
    await page.goto(`${url}/workflow/${id}`);
    await page.addStyleTag({ content: withoutAdvice });
    await page
      .locator('.vue-flow__node')
      .nth(nodes.length - 1)
      .waitFor();
    await page.waitForTimeout(2000); // n8n moves the canvas into view.
    await page.keyboard.press('1'); // n8n's key for "zoom to fit"
    await page.waitForTimeout(1500);
    const picture = path.join(pictures, file.replace('.json', '.png'));
    // With a palette, which makes it a third of the size.
    await sharp(await page.screenshot())
      .png({ palette: true, quality: 90, effort: 10 })
      .toFile(picture);
    process.stderr.write(`${picture}\n`);
  }
} finally {
  await browser.close();
}
