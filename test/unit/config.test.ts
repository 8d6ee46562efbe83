import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { loadConfig, loadEnvFile } from '../../src/config.ts';

describe('the configuration', () => {
  it('means the embedded server, real providers and loopback when nothing is set', () => {
    expect(loadConfig({}, '/srv/app')).toEqual({
      databaseUrl: undefined,
      dataDir: '/srv/app/.outrider',
      isDataDirChosen: false,
      postgresDir: '/srv/app/.outrider/postgres',
      mediaDir: '/srv/app/.outrider/media',
      workspace: undefined,
      http: { host: '127.0.0.1', port: 8080, allowedHosts: [], connections: 1000 },
      logLevel: 'info',
      concurrency: 500,
      claimAhead: 500,
      drainMs: 25_000,
      media: { maxBytes: 52_428_800, privateHosts: [] },
      s3: {
        bucket: undefined,
        endpoint: undefined,
        region: 'us-east-1',
        accessKeyId: undefined,
        secretKeyRef: undefined,
        prefix: '',
        forcePathStyle: true,
      },
      metrics: { access: 'local', tokenRef: undefined },
      tracing: { timeoutMs: 10_000 },
      status: {
        tokenRef: undefined,
        proxies: [],
        userHeader: 'x-forwarded-user',
        isOpen: false,
        workspaces: [],
      },
      caFile: undefined,
      apiUrls: { telegram: undefined, max: undefined, vk: undefined },
      alerts: { smtpUrl: undefined, smtpFrom: undefined, privateHosts: [] },
      outbox: {
        broker: 'log:',
        batchSize: 50,
        pollMs: 500,
        maxAttempts: 10,
        order: 'none',
        idempotencyTtlMs: 604_800_000,
        retentionDays: 30,
        webhookSecretRef: undefined,
      },
      secrets: {},
    });
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ DATABASE_URL: ' ', OUTRIDER_DATA_DIR: '' }, '/srv').dataDir).toBe(
      '/srv/.outrider',
    );
  });

  it('resolves the data folder against the working directory', () => {
    expect(loadConfig({ OUTRIDER_DATA_DIR: 'data' }, '/srv/app').dataDir).toBe('/srv/app/data');
  });

  it('has a chosen data folder when one is named, also the usual one', () => {
    expect(loadConfig({ OUTRIDER_DATA_DIR: '.outrider' }).isDataDirChosen).toBe(true);
  });

  it('listens on PORT, as hosting platforms name it, unless OUTRIDER_PORT says otherwise', () => {
    expect(loadConfig({ PORT: '5000' }).http.port).toBe(5000);
    expect(loadConfig({ PORT: '5000', OUTRIDER_PORT: '6000' }).http.port).toBe(6000);
  });

  it.each([
    ['PUBLISH_BATCH_SIZE', 'batchSize', 7, 8],
    ['PUBLISH_POLL_MS', 'pollMs', 70, 80],
    ['MAX_ATTEMPTS', 'maxAttempts', 3, 4],
  ] as const)('knows PACKFINDERZ_OUTBOX_%s, and ours before it', (name, field, theirs, ours) => {
    const env = { [`PACKFINDERZ_OUTBOX_${name}`]: String(theirs) };
    const own = `OUTRIDER_OUTBOX_${name}`;
    expect(loadConfig(env).outbox[field]).toBe(theirs);
    expect(loadConfig({ ...env, [own]: '' }).outbox[field]).toBe(theirs);
    expect(loadConfig({ ...env, [own]: String(ours) }).outbox[field]).toBe(ours);
    const load = () => loadConfig({ [`PACKFINDERZ_OUTBOX_${name}`]: 'x' });
    expect(load).toThrow(`PACKFINDERZ_OUTBOX_${name} must be`);
  });

  it('knows PACKFINDERZ_OUTBOX_IDEMPOTENCY_TTL_HOURS, from 7 to 30 days', () => {
    const ttl = (hours: string) =>
      loadConfig({ PACKFINDERZ_OUTBOX_IDEMPOTENCY_TTL_HOURS: hours }).outbox.idempotencyTtlMs;
    expect(ttl('720')).toBe(30 * 86_400_000);
    expect(() => ttl('167')).toThrow('must be a whole number from 168 to 720');
    expect(() => ttl('721')).toThrow('must be a whole number from 168 to 720');
  });

  it('reads hosts that media may come from, with commas or spaces between', () => {
    const config = loadConfig({ OUTRIDER_MEDIA_PRIVATE_HOSTS: 'media.local, 10.0.0.7:9000 cdn' });
    expect(config.media.privateHosts).toEqual(['media.local', '10.0.0.7:9000', 'cdn']);
  });

  it.each(['OUTRIDER_MEDIA_PRIVATE_HOSTS', 'OUTRIDER_ALERT_PRIVATE_HOSTS'])(
    'refuses what is no host in %s, and does not quote it',
    (name) => {
      const entry = 'http://ann:hidden@pager.local';
      expect(() => loadConfig({ [name]: `${entry}, cdn` })).toThrow(`${name} must list host names`);
      expect(() => loadConfig({ [name]: entry })).not.toThrow('hidden');
      expect(loadConfig({ [name]: 'pager.local:9000, ::1,' })).toBeDefined();
    },
  );

  it('reads host names that requests may be for, and how many connections there may be', () => {
    const env = {
      OUTRIDER_ALLOWED_HOSTS: 'news.example, api.example',
      OUTRIDER_HTTP_CONNECTIONS: '50',
    };
    expect(loadConfig(env).http).toMatchObject({
      allowedHosts: ['news.example', 'api.example'],
      connections: 50,
    });
  });

  it('hands on the environment that secrets are read from', () => {
    expect(loadConfig({ TELEGRAM_TOKEN: '1:abc' }).secrets['TELEGRAM_TOKEN']).toBe('1:abc');
  });

  it.each([
    ['DATABASE_URL', 'mysql://root:s3cret@db/x', 'must be a postgres:// address'],
    ['DATABASE_URL', 'postgresql://root:s3cret#/@db/x', 'cannot be read as an address'],
    ['OUTRIDER_PORT', '70000', 'must be a whole number from 0 to 65535'],
    ['OUTRIDER_CONCURRENCY', 'many', 'must be a whole number from 1 to 10000'],
    ['OUTRIDER_CLAIM_AHEAD', '-1', 'must be a whole number from 0 to 10000'],
    ['OUTRIDER_DRAIN_SECONDS', '1.5', 'must be a whole number from 1 to 3600'],
    ['OUTRIDER_LOG_LEVEL', 'loud', 'must be one of debug, info, warn, error, silent'],
    ['TELEGRAM_API_URL', 'localhost:8081', 'must be an http:// or https:// address'],
    ['OUTRIDER_OUTBOX_ORDER', 'sorted', 'must be one of none, aggregate'],
    ['OUTRIDER_OUTBOX_PUBLISH_BATCH_SIZE', '1001', 'must be a whole number from 1 to 1000'],
  ])('refuses a wrong %s by name, without repeating it', (name, value, message) => {
    const load = () => loadConfig({ [name]: value });
    expect(load).toThrow(`${name} ${message}`);
    expect(load).not.toThrow(value);
  });

  it('names every wrong variable at once', () => {
    const load = () => loadConfig({ OUTRIDER_PORT: 'x', OUTRIDER_LOG_LEVEL: 'y' });
    expect(load).toThrow(/OUTRIDER_PORT .*; OUTRIDER_LOG_LEVEL /);
  });

  it('names the file and the variable of an authority that is no certificate', () => {
    expect(() => loadConfig({ OUTRIDER_CA_FILE: 'package.json' })).toThrow(
      'OUTRIDER_CA_FILE: package.json is not a PEM certificate',
    );
  });

  it('cannot be changed afterwards', () => {
    const config = loadConfig({});
    const parts = [config, config.http, config.media, config.apiUrls, config.outbox];
    expect(parts.every(Object.isFrozen)).toBe(true);
  });
});

describe('a .env file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'outrider-env-'));
  const file = path.join(folder, '.env');
  const name = 'OUTRIDER_TEST_VARIABLE';

  afterEach(() => delete process.env[name]);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('need not exist', () => {
    expect(() => loadEnvFile(file)).not.toThrow();
  });

  it('is taken into the environment, where what is set already stays', () => {
    writeFileSync(file, `${name}=from the file\n`);
    loadEnvFile(file);
    expect(process.env[name]).toBe('from the file');
    process.env[name] = 'set before';
    loadEnvFile(file);
    expect(process.env[name]).toBe('set before');
  });
});
