import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/start.ts';
import { createTelegram } from '../../sandbox/telegram/telegram.ts';
import { applyWorkspace } from '../../src/db/apply.ts';
import { hashOf } from '../support/database/configuration.ts';
import { foundBy, inWords, lookedAt } from '../support/doctor/doctor-look.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { refusingPort } from '../support/http/raw-server.ts';
import { accessKeyId, bucketName, secretKey, startS3 } from '../support/http/s3-server.ts';
import { addChat, sandboxSecrets, sandboxTokens } from '../support/sandbox/sandbox-channels.ts';

// What is wrong with this machine, its environment, and what a workspace has besides its channels.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
const chat = '-1001000000950';
let env: Record<string, string>;

async function apply(workspace: string, document: object): Promise<void> {
  const whole = { workspace, name: workspace, ...document };
  await applyWorkspace(database.service, { document: whole, prune: false, dryRun: false });
}

beforeAll(async () => {
  addChat(sandbox, 'telegram', chat, 'News');
  env = {
    DATABASE_URL: database.url,
    OUTRIDER_DATA_DIR: path.join(folder, 'data'),
    TELEGRAM_API_URL: sandbox.telegram.url,
    ...sandboxSecrets,
  };
});

const s3 = {
  OUTRIDER_S3_BUCKET: bucketName,
  OUTRIDER_S3_ACCESS_KEY_ID: accessKeyId,
  OUTRIDER_S3_SECRET_KEY_REF: 'env:S3_SECRET',
  OUTRIDER_S3_FORCE_PATH_STYLE: 'true',
  S3_SECRET: secretKey,
};

describe('outrider doctor, about the media store', () => {
  const looked = (more: Record<string, string>) =>
    lookedAt({ env: { ...env, ...more }, workspaces: [] });

  it('finds a folder that cannot be written to', async () => {
    const dataDir = path.join(folder, 'spoilt');
    await mkdir(dataDir);
    await writeFile(path.join(dataDir, 'media'), 'a file stands in the place of the folder');
    const report = await looked({ OUTRIDER_DATA_DIR: dataDir });
    expect(foundBy(report, 'media_store')).toEqual([
      expect.stringMatching(/critical: folder .*spoilt\/media: /),
    ]);
  });

  it('finds nothing wrong with a folder that is well, and leaves it as it was', async () => {
    const dataDir = path.join(folder, 'well');
    await mkdir(path.join(dataDir, 'media', 'incoming'), { recursive: true });
    const report = await looked({ OUTRIDER_DATA_DIR: dataDir });
    expect(foundBy(report, 'media_store')).toEqual([]);
    const left = await readdir(dataDir, { recursive: true, withFileTypes: true });
    expect(left.filter((each) => each.isFile())).toEqual([]);
  });

  it('finds an S3 server that is away, one that refuses the key, and none that is well', async () => {
    await using server = await startS3(path.join(folder, 's3'));
    await using away = await refusingPort();
    const endpoint = (url: string, more = {}) => ({ ...s3, OUTRIDER_S3_ENDPOINT: url, ...more });
    const dead = await looked(endpoint(`http://127.0.0.1:${away.port}`));
    expect(foundBy(dead, 'media_store')).toEqual([
      expect.stringMatching(/critical: bucket pictures: .*ECONNREFUSED/),
    ]);
    const refused = await looked(endpoint(server.url, { S3_SECRET: 'another-secret' }));
    expect(foundBy(refused, 'media_store')).toEqual([
      expect.stringMatching(/critical: bucket pictures: .* access/),
    ]);
    expect(JSON.stringify(refused)).not.toContain('another-secret');
    const well = await looked(endpoint(server.url));
    expect(foundBy(well, 'media_store')).toEqual([]);
    expect(await server.keys()).toEqual([]);
  });

  it('finds a bucket whose configuration is not complete', async () => {
    const report = await looked({ OUTRIDER_S3_BUCKET: bucketName });
    expect(foundBy(report, 'media_store')).toEqual([
      expect.stringContaining('OUTRIDER_S3_ACCESS_KEY_ID is not set'),
    ]);
  });
});

describe('outrider doctor, about this machine', () => {
  it('finds a disk that is nearly full, once for both folders', async () => {
    const space = { freeBytes: 40 * 1024 ** 2, totalBytes: 20 * 1024 ** 3 };
    const machine = { freeSpace: async () => space };
    const report = await lookedAt({ env, workspaces: [], machine });
    expect(foundBy(report, 'disk_space')).toEqual([
      expect.stringMatching(/critical: folder .*: the disk of .* has 40 MB of 20480 MB left/),
    ]);
  });

  it('finds secrets of the environment that are missing or open, keys that are none, and a broker that is away', async () => {
    await using away = await refusingPort();
    const open = path.join(folder, 'gateway-token');
    await writeFile(open, 'gateway-token-of-the-test');
    await chmod(open, 0o640);
    const report = await lookedAt({
      workspaces: [],
      env: {
        ...env,
        OUTRIDER_GATEWAY_TOKEN_REF: `file:${open}`,
        OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF: 'env:NOBODY_SET_THIS',
        OUTRIDER_PAYLOAD_KEY_REF: 'env:KEYS',
        KEYS: 'k1:c2hvcnQ=',
        OUTRIDER_CA_FILE: path.join(folder, 'no-such-file.pem'),
        OUTRIDER_OUTBOX_BROKER: `nats://127.0.0.1:${away.port}/events`,
      },
    });
    expect(foundBy(report, 'installation_secrets')).toEqual([
      expect.stringMatching(/critical: variable OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF: .* not set/),
      expect.stringMatching(/warning: variable OUTRIDER_GATEWAY_TOKEN_REF: .* \(640\)/),
    ]);
    expect(foundBy(report, 'payload_keys')).toEqual([expect.stringContaining('of 5 bytes; 32')]);
    expect(foundBy(report, 'authorities')).toEqual([expect.stringContaining('cannot be read')]);
    expect(foundBy(report, 'broker')).toEqual([
      expect.stringMatching(
        /critical: broker nats at 127\.0\.0\.1:\d+: events cannot be published/,
      ),
    ]);
    expect(JSON.stringify(report)).not.toContain('gateway-token-of-the-test');
  });

  it('finds that the clock of a platform differs', async () => {
    const skewed = await startSandbox({
      simulators: {
        telegram: (context) => {
          const simulator = createTelegram(context);
          const date = new Date(Date.now() + 300_000).toUTCString();
          return {
            ...simulator,
            async handle(request) {
              const reply = await simulator.handle(request);
              return { ...reply, headers: { ...reply.headers, date } };
            },
          };
        },
      },
    });
    skewed.telegram.simulator.control('bots', { token: sandboxTokens.telegram });
    await apply('clock', {
      credentials: { bot: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' } },
    });
    const url = { TELEGRAM_API_URL: skewed.telegram.url };
    const report = await lookedAt({ env: { ...env, ...url }, workspaces: ['clock'] });
    await skewed.close();
    expect(foundBy(report, 'clock_platforms')).toEqual([
      expect.stringMatching(/critical: .* this machine is 5 min behind that of Telegram/),
    ]);
  });
});

describe('outrider doctor, about a workspace', () => {
  it('finds sources, alert targets, endpoints and bots that do not work', async () => {
    await using away = await refusingPort();
    await apply('shop', {
      credentials: { bot: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' } },
      endpoints: {
        push: {
          kind: 'webhook_push',
          secret_hash: hashOf('shop push'),
          signing_secret_ref: 'env:NOBODY_SET_THIS',
        },
        bot: { kind: 'bot_webhook', secret_hash: hashOf('shop bot'), auth_ref: 'bot' },
      },
      pull_sources: { feed: { kind: 'rss', config: { url: `http://127.0.0.1:${away.port}/` } } },
      alert_targets: {
        mail: { kind: 'email', recipients: ['ann@example.org'] },
        hook: { kind: 'webhook', url: 'https://example.org/alerts', secret_ref: 'env:NO_HOOK' },
        pager: { kind: 'webhook', url: 'https://example.org/alerts', secret_ref: 'env:PHRASE' },
        chat: { kind: 'chat', target_id: '-1001000000999', auth_ref: 'bot' },
      },
    });
    const allowed = { OUTRIDER_MEDIA_PRIVATE_HOSTS: `127.0.0.1:${away.port}` };
    const phrase = { PHRASE: 'not base64 !!' };
    const report = await lookedAt({ env: { ...env, ...allowed, ...phrase }, workspaces: ['shop'] });
    expect(foundBy(report, 'pull_sources')).toEqual([
      expect.stringMatching(/critical: source feed: it cannot be read: /),
    ]);
    expect(foundBy(report, 'endpoint_secrets')).toEqual([
      expect.stringMatching(/critical: endpoint push: .* NOBODY_SET_THIS is not set/),
    ]);
    expect(foundBy(report, 'bot_webhooks')).toEqual([
      expect.stringMatching(/critical: endpoint bot: telegram knows no webhook of ours for bot/),
    ]);
    expect(foundBy(report, 'alert_targets').toSorted()).toEqual([
      expect.stringMatching(/critical: alert target chat: -1001000000999: chat_not_found/),
      expect.stringMatching(/critical: alert target hook: .* NO_HOOK is not set/),
      expect.stringMatching(/critical: alert target mail: no mail server is configured/),
      expect.stringMatching(
        /critical: alert target pager: its signing secret cannot be used: it has blanks/,
      ),
    ]);
    expect(foundBy(report, 'idle_channels')).toEqual([
      expect.stringContaining('posts come in, and no channel is enabled'),
    ]);
  });

  it('does not miss channels where only a bot is written to', async () => {
    await apply('helpdesk', {
      credentials: { bot: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' } },
      endpoints: {
        bot: { kind: 'bot_webhook', secret_hash: hashOf('helpdesk bot'), auth_ref: 'bot' },
      },
    });
    const report = await lookedAt({ env, workspaces: ['helpdesk'] });
    expect(foundBy(report, 'idle_channels')).toEqual([]);
  });

  it('finds that nobody is told of alerts, and that no process does the work', async () => {
    await apply('quiet', {
      credentials: { bot: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' } },
      channels: { news: { platform: 'telegram', target_id: chat, auth_ref: 'bot' } },
    });
    const report = await lookedAt({ env, workspaces: ['quiet'] });
    expect(foundBy(report, 'alert_targets')).toEqual([
      expect.stringMatching(/info: nobody is told of alerts/),
    ]);
    expect(foundBy(report, 'missing_roles')).toEqual([
      expect.stringMatching(
        /no process of Outrider runs, and the configuration needs dispatch, upkeep/,
      ),
    ]);
    expect(inWords(report).filter((each) => each.includes('channel news'))).toEqual([]);
  });
});
