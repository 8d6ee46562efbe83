// Takes the pictures of docs/n8n.md from a running n8n (make n8n), with Debian's chromium and no further package:
//
//   node scripts/n8n-pictures.ts http://127.0.0.1:5678 owner@outrider.example <password>

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { workflowsFolder } from './n8n/workflow-files.ts';

const [url = 'http://127.0.0.1:5678', email = '', password = ''] = process.argv.slice(2);
const pictures = path.join(import.meta.dirname, '../docs/n8n');
/** n8n lays its advice for production over the canvas. */
const withoutAdvice =
  "document.querySelectorAll('[data-radix-popper-content-wrapper]').forEach((each) => each.remove())";
const screen = { width: 2000, height: 1100 };

const profile = await mkdtemp(path.join(os.tmpdir(), 'outrider-pictures-'));
const browser = spawn(
  'chromium',
  [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ],
  { stdio: ['ignore', 'ignore', 'pipe'] },
);
try {
  const page = await openPage();
  await page.goTo(`${url}/signin`);
  const credentials = JSON.stringify({ emailOrLdapLoginId: email, password });
  await page.evaluate(
    `fetch('/rest/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(credentials)} }).then((answer) => answer.status)`,
  );
  await mkdir(pictures, { recursive: true });
  for (const file of (await readdir(workflowsFolder)).filter((each) => /^\d/.test(each))) {
    const text = await readFile(path.join(workflowsFolder, file), 'utf8');
    const { id } = z.object({ id: z.string() }).parse(JSON.parse(text));
    await page.goTo(`${url}/workflow/${id}`);
    await page.until(`document.querySelectorAll('.vue-flow__node').length > 5`);
    await delay(2000); // n8n moves the canvas into view.
    await page.evaluate(withoutAdvice);
    await page.press('1'); // n8n's key for "zoom to fit"
    await delay(1500);
    const picture = path.join(pictures, file.replace('.json', '.png'));
    await writeFile(picture, await page.picture());
    process.stderr.write(`${picture}\n`);
  }
} finally {
  browser.kill();
  await rm(profile, { recursive: true, force: true }).catch(() => undefined);
}

interface Page {
  goTo(address: string): Promise<void>;
  evaluate(script: string): Promise<unknown>;
  until(script: string): Promise<void>;
  press(key: string): Promise<void>;
  picture(): Promise<Buffer>;
}

/** One tab, by the DevTools protocol. */
async function openPage(): Promise<Page> {
  const debugging = new URL(await debuggingAddress());
  const made = await fetch(`http://${debugging.host}/json/new?about:blank`, { method: 'PUT' });
  const { webSocketDebuggerUrl } = z
    .object({ webSocketDebuggerUrl: z.string() })
    .parse(await made.json());
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const waiting = new Map<number, (result: unknown) => void>();
  const Reply = z.object({ id: z.int().optional(), result: z.unknown() });
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = Reply.parse(JSON.parse(String(data)));
    if (id !== undefined) waiting.get(id)?.(result);
  });
  let asked = 0;
  const ask = (method: string, params: object = {}): Promise<unknown> => {
    asked += 1;
    const id = asked;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  await ask('Emulation.setDeviceMetricsOverride', {
    ...screen,
    deviceScaleFactor: 1,
    mobile: false,
  });
  const Evaluated = z.object({ result: z.object({ value: z.unknown() }) });
  const evaluate = async (expression: string): Promise<unknown> => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    return Evaluated.parse(await ask('Runtime.evaluate', options)).result.value;
  };
  const until = async (expression: string): Promise<void> => {
    for (let tries = 0; tries < 150; tries += 1) {
      if ((await evaluate(expression)) === true) return;
      await delay(200);
    }
    throw new Error(`never: ${expression}`);
  };
  return {
    evaluate,
    until,
    async goTo(address) {
      await ask('Page.navigate', { url: address });
      await until(`document.readyState === 'complete'`);
    },
    async press(key) {
      for (const type of ['keyDown', 'keyUp']) {
        await ask('Input.dispatchKeyEvent', {
          type,
          key,
          text: type === 'keyDown' ? key : '',
          code: `Digit${key}`,
        });
      }
    },
    async picture() {
      const shot = await ask('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(z.object({ data: z.string() }).parse(shot).data, 'base64');
    },
  };
}

async function debuggingAddress(): Promise<string> {
  for await (const line of createInterface({ input: browser.stderr })) {
    const address = /ws:\/\/\S+/.exec(line)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error('chromium says nothing');
}
