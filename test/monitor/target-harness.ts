// The other sides of alert targets: chats of the sandbox, a receiver of webhooks, a mail server, a log.

import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { furnishDemoWorld } from '../../sandbox/demo-world.ts';
import type { Platform } from '../../sandbox/platforms.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { placeOf, pointedAt } from '../../src/cli/sandbox/place.ts';
import { loadConfig } from '../../src/config.ts';
import type { AlertAddress } from '../../src/db/monitor.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { verifyWebhook } from '../../src/http/standard-webhooks.ts';
import { createLog } from '../../src/log.ts';
import type { Tell } from '../../src/monitor/targets/target.ts';
import { openAlertTargets } from '../../src/roles/alert-targets.ts';
import { openProviders } from '../../src/roles/providers.ts';
import { createSecrets } from '../../src/secrets.ts';

/** Never to be seen in a reason. */
export const password = 'c4nary-of-mail';
export const signingSecret = 'c4nary-of-webhooks';

export interface OtherSides {
  readonly tell: Tell;
  readonly sandbox: Sandbox;
  readonly targets: readonly OtherSide[];
  close(): Promise<void>;
}

export interface OtherSide {
  readonly name: string;
  /** The columns of its row in alert_targets. */
  readonly columns: Readonly<Record<string, unknown>>;
  readonly address: AlertAddress;
  /** The texts that have arrived. */
  received(): readonly string[];
  /** Has it take nothing any more; undefined: it always does. */
  readonly refuse?: () => void;
  readonly accept?: () => void;
}

const nothing: Omit<AlertAddress, 'kind'> = {
  targetId: null,
  authRef: null,
  secretRef: null,
  platform: null,
  rateGroup: null,
  url: null,
  recipients: null,
};

export async function openOtherSides(client: Queryable): Promise<OtherSides> {
  const sandbox = await startSandbox();
  furnishDemoWorld(sandbox);
  const hook = await startReceiver();
  const mail = await startMailServer();
  const lines: string[] = [];
  const environment = {
    OUTRIDER_SMTP_URL: `smtp://ops:${password}@127.0.0.1:${mail.port}`,
    OUTRIDER_SMTP_FROM: 'outrider@example.org',
    OUTRIDER_ALERT_PRIVATE_HOSTS: `127.0.0.1:${hook.port}`,
    HOOK_SECRET: signingSecret,
    MALFORMED_SECRET: 'not base64 !!',
  };
  const config = pointedAt(placeOf(sandbox), loadConfig(environment));
  const providers = await openProviders(config);
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) });
  const tell = openAlertTargets({
    config,
    client,
    log,
    secrets: createSecrets(config.secrets),
    adapters: providers.adapters,
  });

  const chat = (platform: Platform & ('telegram' | 'max'), id: string): OtherSide => {
    const authRef = `${platform}-bot`;
    const secretRef = platform === 'telegram' ? 'env:TELEGRAM_TOKEN' : 'env:MAX_TOKEN';
    const at = { targetId: id, authRef, secretRef, platform, rateGroup: authRef };
    return {
      name: platform,
      columns: { kind: 'chat', auth_ref: authRef, target_id: id },
      address: { ...nothing, kind: 'chat', ...at },
      received: () =>
        (sandbox[platform].simulator.chats().find((each) => each.chat === id)?.posts ?? []).map(
          (each) => each.text,
        ),
      refuse: () => sandbox.faults.add({ kind: 'kicked', platform, chat: id }),
      accept: () => sandbox.faults.clear(),
    };
  };
  const url = `http://127.0.0.1:${hook.port}/alerts?key=1`;
  return {
    tell,
    sandbox,
    targets: [
      chat('telegram', '-1001000000005'),
      chat('max', '-70000000000001'),
      {
        name: 'webhook',
        columns: { kind: 'webhook', url, secret_ref: 'env:HOOK_SECRET' },
        address: { ...nothing, kind: 'webhook', url, secretRef: 'env:HOOK_SECRET' },
        received: () => hook.received,
        refuse: () => hook.answerWith(503),
        accept: () => hook.answerWith(204),
      },
      {
        name: 'email',
        columns: { kind: 'email', recipients: ['ann@example.org', 'bob@example.org'] },
        address: {
          ...nothing,
          kind: 'email',
          recipients: ['ann@example.org', 'bob@example.org'],
        },
        received: () => mail.received,
        refuse: () => mail.refuse(true),
        accept: () => mail.refuse(false),
      },
      {
        name: 'log',
        columns: { kind: 'log' },
        address: { ...nothing, kind: 'log' },
        received: () => lines,
      },
    ],
    async close() {
      await providers.close();
      await Promise.all([sandbox.close(), hook.close(), mail.close()]);
    },
  };
}

async function startReceiver() {
  const received: string[] = [];
  let status = 204;
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { ok } = verifyWebhook(request.headers, Buffer.from(body), signingSecret, new Date());
    if (ok && status < 300) received.push(body);
    response.writeHead(ok ? status : 401, { 'retry-after': '90' }).end();
  }
  const server = http.createServer((request, response) => {
    void take(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    received,
    port: portOf(server.address()),
    answerWith: (next: number) => void (status = next),
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function startMailServer() {
  const received: string[] = [];
  let isRefusing = false;
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password: given }, _session, done) {
      const isKnown = username === 'ops' && given === password;
      if (isKnown) done(null, { user: username });
      else done(new Error('no'));
    },
    onRcptTo(_address, _session, done) {
      done(isRefusing ? new Error('the mailbox is full') : null);
    },
    onData(stream, _session, done) {
      let mail = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => void (mail += chunk));
      stream.on('end', () => {
        received.push(mail);
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    received,
    port: portOf(server.server.address()),
    refuse: (next: boolean) => void (isRefusing = next),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return address.port;
}
