import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { missingProgram } from '../support/brokers/debian-package.ts';
import { type RedisServer, startRedis } from '../support/brokers/redis.ts';
import { startWebhookReceiver, webhookSecret } from '../support/brokers/webhook.ts';
import { runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { startTcpProxy } from '../support/http/tcp-proxy.ts';
import {
  emit,
  emitMany,
  giveUp,
  publishAll,
  storedEvent,
} from '../support/outbox/outbox-events.ts';
import {
  type PublisherProcess,
  startPublisherProcess,
} from '../support/processes/publisher-processes.ts';

const missing = missingProgram('redis-server', 'redis-server');

const database = await useDatabase();
let server: RedisServer;
const undo = useUndo(() => publishAll(database.admin));

beforeAll(async () => {
  if (missing === undefined) server = await startRedis();
});

afterAll(() => server?.close());

function poll<T>(look: () => Promise<T> | T) {
  return expect.poll(look, { timeout: 30_000, interval: 50 });
}

function start(env: Readonly<Record<string, string>>, args: readonly string[]): PublisherProcess {
  const running = startPublisherProcess({ DATABASE_URL: database.url, ...env }, args);
  undo.push(() => running.child.kill('SIGKILL'));
  return running;
}

const Readiness = z.object({
  ready: z.boolean(),
  services: z.array(z.object({ name: z.string(), ok: z.boolean(), reason: z.string().optional() })),
});

describe('outrider publish', () => {
  it('writes events to its log when no broker is named, and ends with SIGTERM', async () => {
    const id = await emit(database.service);
    const running = start({}, ['--json']);
    await poll(async () => (await storedEvent(database.admin, id))?.published_at).not.toBeNull();
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    const lines = running
      .out()
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    const about = lines.filter((line) => JSON.stringify(line).includes(id));
    expect(about).toMatchObject([{ event_id: id, payload: { eventId: id } }]);
    expect(running.err()).toBe('');
  });

  it('publishes what is due and ends with --once', async () => {
    const ids = await emitMany(database.service, 60);
    const ended = await runOutrider(['publish', '--once', '--json'], { databaseUrl: database.url });
    expect(ended).toMatchObject({ code: 0, err: '60 published, 0 failed\n' });
    for (const id of ids) {
      expect((await storedEvent(database.admin, id))?.published_at).not.toBeNull();
    }
  });

  it.each(['outrider_publisher', 'outrider_service'] as const)(
    'needs a login that is %s, and no more',
    async (role) => {
      const id = await emit(database.service);
      const databaseUrl = await database.addLogin({ roles: [role] });
      const ended = await runOutrider(['publish', '--once', '--json'], { databaseUrl });
      expect(ended).toMatchObject({ code: 0, err: '1 published, 0 failed\n' });
      expect((await storedEvent(database.admin, id))?.published_at).not.toBeNull();
    },
  );

  it('gives a publisher nothing else to do', async () => {
    const databaseUrl = await database.addLogin({ roles: ['outrider_publisher'] });
    const denied = await runOutrider(['status'], { databaseUrl });
    expect(denied.code).toBe(1);
    expect(denied.err).toMatch(/permission|may not/);
  });

  it.each([
    [
      'redis://:s3cret@127.0.0.1:1/0/events',
      /^outrider publish: the broker at 127\.0\.0\.1:1 cannot be used: .*\n.*OUTRIDER_OUTBOX_BROKER/,
    ],
    [
      'gopher://s3cret',
      /^outrider publish: no broker has an address of that kind\n.*OUTRIDER_OUTBOX_BROKER/,
    ],
    [
      'https://example.test/s3cret',
      /^outrider publish: webhooks need a secret.*\n.*OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF/,
    ],
  ])(
    'says what is wrong with its broker and where to correct it, without secrets: %s',
    async (at, words) => {
      const env = { OUTRIDER_OUTBOX_BROKER: at };
      const ended = await runOutrider(['publish', '--once'], { databaseUrl: database.url, env });
      expect(ended.code).toBe(1);
      expect(ended.err).toMatch(words);
      expect(ended.err + ended.out).not.toContain('s3cret');
    },
  );

  it('signs webhooks with the secret that is referred to', async () => {
    const receiver = await startWebhookReceiver();
    undo.push(() => receiver.close());
    const id = await emit(database.service);
    const env = {
      OUTRIDER_OUTBOX_BROKER: receiver.address(),
      OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF: 'env:HOOK',
      HOOK: webhookSecret,
    };
    const ended = await runOutrider(['publish', '--once'], { databaseUrl: database.url, env });
    expect(ended).toMatchObject({ code: 0 });
    const received = await receiver.received();
    expect(received.map(({ attributes }) => attributes['event_id'])).toContain(id);
  });

  it.runIf(missing === undefined)('is ready when the database and the broker are', async () => {
    const wire = await startTcpProxy(database.url);
    undo.push(() => wire.close());
    const env = {
      DATABASE_URL: wire.url,
      OUTRIDER_OUTBOX_BROKER: server.address(),
      OUTRIDER_PORT: '0',
    };
    const running = start(env, ['--health', '--json']);
    await poll(() => running.err()).toMatch(/health at \S+\/readyz/);
    const [, url = ''] = /health at (\S+)\/readyz/.exec(running.err()) ?? [];
    const readiness = async () => {
      const response = await fetch(`${url}/readyz`);
      return { status: response.status, ...Readiness.parse(await response.json()) };
    };
    await poll(readiness).toMatchObject({ status: 200, ready: true });
    expect((await readiness()).services.map(({ name }) => name)).toEqual(['database', 'publish']);
    await server.stop();
    undo.push(() => server.start());
    await poll(readiness).toMatchObject({ status: 503, ready: false });
    const [, publish] = (await readiness()).services;
    expect(publish?.reason).toContain('the broker cannot be reached');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405);
    undo.pop();
    await server.start();
    await poll(readiness).toMatchObject({ status: 200 });

    await wire.greet('refused');
    wire.cut();
    await poll(async () => {
      const { status, services } = await readiness();
      return [status, ...services.map(({ ok }) => ok)];
    }).toEqual([503, false, false]);
    await wire.greet('served');
    await poll(readiness).toMatchObject({ status: 200 });
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });
});

describe('outrider outbox', () => {
  const env = { OUTRIDER_OUTBOX_MAX_ATTEMPTS: '3' };
  const run = (...args: string[]) =>
    runOutrider(['outbox', ...args], { databaseUrl: database.url, env });

  it('lists what failed, and replays it after a dry run', async () => {
    const ids = await emitMany(database.service, 3);
    const [first = '', second = ''] = ids;
    await giveUp(database.service, [first, second]);
    const listed = await run('--failed');
    expect(tabbed(listed.out).map((row) => row['event_id'])).toEqual(
      expect.arrayContaining([first, second]),
    );
    expect(tabbed(listed.out)[0]).toMatchObject({
      event_type: 'ad_activated',
      attempt_count: '3',
      last_error: 'the broker refused it',
    });
    const status = await run('status', '--json');
    expect(JSON.parse(status.out)).toMatchObject({ unpublished: 3, failed: 2, cut: [] });

    const tried = await run('replay', '--failed', '--dry-run', '--reason', 'fixed');
    expect(tried).toMatchObject({ code: 0, out: '2 events would be replayed\n' });
    expect(await storedEvent(database.admin, first)).toMatchObject({ attempt_count: 3 });
    const done = await run('replay', '--failed', '--reason', 'fixed', '--operator', 'ann');
    expect(done).toMatchObject({ code: 0, out: '2 events replayed\n' });
    expect(await storedEvent(database.admin, first)).toMatchObject({ attempt_count: 0 });
    const kept = await database.admin.query('select operator, reason from outrider.outbox_replays');
    expect(kept.rows).toEqual([{ operator: 'ann', reason: 'fixed' }]);
  });

  it('replays events that are named, and says why not', async () => {
    const [failed = '', waiting = ''] = await emitMany(database.service, 2);
    await giveUp(database.service, [failed]);
    // An id may be written short.
    const done = await run('replay', failed.slice(0, 30), waiting, '--reason', 'fixed');
    expect(done).toMatchObject({ code: 1, out: '1 event replayed\n' });
    expect(done.err).toMatch(new RegExp(`^${waiting}: .+\n$`));
  });

  it('passes over an event that was given up, and says why not over another', async () => {
    const [failed = '', waiting = ''] = await emitMany(database.service, 2);
    await giveUp(database.service, [failed]);
    const tried = await run('skip', failed, '--dry-run', '--reason', 'nobody reads it');
    expect(tried).toMatchObject({ code: 0, out: '1 event would be passed over\n' });
    const done = await run(
      'skip',
      failed,
      waiting,
      '--reason',
      'nobody reads it',
      '--operator',
      'ann',
    );
    expect(done).toMatchObject({ code: 1, out: '1 event passed over\n' });
    expect(done.err).toBe(`${waiting}: it is not given up: it is still tried\n`);
    expect(await storedEvent(database.admin, failed)).toMatchObject({
      last_error: 'passed over by ann: nobody reads it',
    });
  });

  it.each([
    [['replay', '--failed'], 'why? --reason says so, for the record'],
    [['replay', '--reason', 'x'], 'which events? name them, or say --failed'],
    [['replay', 'x', '--failed', '--reason', 'x'], 'which events? name them, or say --failed'],
    [['replay', 'seven', '--reason', 'x'], '"seven" is not the id of an event'],
    [['list', '--limit', '0'], '--limit 0: it is a number from 1 to 1000'],
    [['relpay'], 'there is no "relpay"; did you mean replay?'],
    [['skip', '--reason', 'x'], 'which events? name them'],
  ])('says what is missing: %j', async (args, words) => {
    const ended = await run(...args);
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(words);
  });

  it.each([
    [['list', '--type', 'ad_eaten']],
    [['replay', '--failed', '--type', 'ad_eaten', '--dry-run']],
  ])('names a type of events that there is not: %j', async (args) => {
    const { code, err } = await run(...args);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^outrider outbox: there is no event type "ad_eaten"\n {2}docs\/outbox\.md/,
    );
  });
});
