import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { DatabaseAwayError } from '../../src/errors.ts';
import { healthArea, Readiness } from '../../src/http/health.ts';
import { type Area, type HttpServer, startServer } from '../../src/http/server.ts';
import { createLog } from '../../src/log.ts';
import { type Health, healthy } from '../../src/service.ts';
import { useUndo } from '../support/fixtures/undo.ts';

const lines: string[] = [];
const undo = useUndo(() => void (lines.length = 0));

async function start(areas: readonly Area[], stopMs = 10_000): Promise<HttpServer> {
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    connections: 100,
    log: createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) }),
    patience: { stopMs },
    areas,
  });
  undo.push(() => server.stop());
  return server;
}

async function ask(url: string, init: RequestInit = {}): Promise<[number, unknown]> {
  const response = await fetch(url, init);
  const text = await response.text();
  return [response.status, text === '' ? '' : JSON.parse(text)];
}

const failing: Area = async (app) => {
  app.get('/failing', () => {
    throw new Error('at 10.0.0.1: s3cret');
  });
};

describe('a server', () => {
  it('answers for each of its areas', async () => {
    const named = (name: string): Area => {
      return async (app) => {
        app.get(`/${name}`, (_request, reply) => reply.answer({ status: 200, body: { name } }));
      };
    };
    const { url } = await start([named('one'), named('two')]);
    expect(await ask(`${url}/one`)).toEqual([200, { name: 'one' }]);
    expect(await ask(`${url}/two`)).toEqual([200, { name: 'two' }]);
    expect(await ask(`${url}/two`, { method: 'PUT' })).toMatchObject([405, {}]);
  });

  it('points to no document that it does not have', async () => {
    const { url } = await start([failing]);
    const error = { code: 'not_found', message: 'there is nothing at this address' };
    expect(await ask(`${url}/nowhere`)).toEqual([404, { error }]);
  });

  it('tells the log what was thrown, and the sender nothing of it', async () => {
    const { url } = await start([failing]);
    const error = { code: 'internal', message: 'something went wrong here; it has been logged' };
    expect(await ask(`${url}/failing`)).toEqual([500, { error }]);
    expect(lines.some((line) => line.includes('a request failed'))).toBe(true);
  });

  it('lets an area have refusals of its own', async () => {
    const own: Area = async (app) => {
      app.setErrorHandler((_error, _request, reply) => reply.answer({ status: 418, body: {} }));
      app.get('/own', () => {
        throw new Error('boiled dry');
      });
    };
    const { url } = await start([own, failing]);
    expect(await ask(`${url}/own`)).toEqual([418, {}]);
    expect(await ask(`${url}/failing`)).toMatchObject([500, {}]);
  });

  it('tells its areas when requests under way have run out of time', async () => {
    const begun = Promise.withResolvers<void>();
    const waiting: Area = async (app, { halted }) => {
      app.get('/waiting', async (_request, reply) => {
        begun.resolve();
        await once(halted, 'abort');
        return reply.answer({ status: 200, body: {} });
      });
    };
    const server = await start([waiting], 10);
    const asked = ask(`${server.url}/waiting`).catch(() => 'broken off');
    await begun.promise;
    expect(server.health()).toEqual(healthy);
    await server.stop();
    expect(server.health()).toEqual({ ok: false, reason: 'it is stopping' });
    await asked;
  });
});

describe('the area of health', () => {
  const of = (askDatabase: () => Promise<unknown>, health: Health = healthy): Area =>
    healthArea({ askDatabase, databaseMs: 10, health: () => [{ name: 'publish', health }] });

  it('answers probes, also those that want no body', async () => {
    const { url } = await start([of(async () => 'here')]);
    expect(await ask(`${url}/healthz`)).toEqual([200, { alive: true }]);
    expect(await ask(`${url}/healthz`, { method: 'HEAD' })).toEqual([200, '']);
    expect(await ask(`${url}/healthz`, { method: 'POST' })).toMatchObject([405, {}]);
  });

  type Case = [string, () => Promise<unknown>, Health, number, string[]];

  it.each<Case>([
    ['the database answers and every service is well', async () => 'here', healthy, 200, []],
    [
      'a service is not well',
      async () => 'here',
      { ok: false, reason: 'no broker' },
      503,
      ['no broker'],
    ],
    [
      'the database is away, in the words of our own errors',
      () => Promise.reject(new DatabaseAwayError('the database cannot be reached')),
      healthy,
      503,
      ['the database cannot be reached'],
    ],
    [
      'the database fails, and not in the words of others',
      () => Promise.reject(new Error('password s3cret is wrong')),
      healthy,
      503,
      ['the database does not do its work'],
    ],
    [
      'the database is silent',
      () => new Promise<never>(() => undefined),
      healthy,
      503,
      ['no answer within 10 ms'],
    ],
  ])('says on /readyz that %s', async (_title, askDatabase, health, status, reasons) => {
    const { url } = await start([of(askDatabase, health)]);
    const [answered, body] = await ask(`${url}/readyz`);
    const { ready, services } = Readiness.parse(body);
    expect([answered, ready]).toEqual([status, status === 200]);
    expect(services.flatMap(({ reason }) => reason ?? [])).toEqual(reasons);
  });
});
