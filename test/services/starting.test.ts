import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { openDatabase as openAsConfigured } from '../../src/db/open.ts';
import { type HeldPort, holdPort } from '../../src/http/held-port.ts';
import { createLog } from '../../src/log.ts';
import { openOutrider } from '../../src/outrider.ts';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { openEmptyDatabase } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { freePort } from '../support/http/free-port.ts';
import { refusalIn, request } from '../support/http/ingest.ts';

// What a process does before it does its work, and what it leaves undone where it cannot.

const database = await useDatabase();
const undo = useUndo();

/** Somebody who listens on a port of this machine; hears how often it was called. */
async function listener(): Promise<{ port: number; calls: () => number }> {
  let calls = 0;
  const server = net.createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  return { port: address.port, calls: () => calls };
}

/** Outrider on the database, with the lines of its log, and with where it says that it listens after how many of them. */
async function open(port: number, heldPort?: HeldPort) {
  const lines: string[] = [];
  const told: unknown[] = [];
  const outrider = await openOutrider(
    { databaseUrl: database.url, http: { port } },
    {
      log: createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) }),
      heldPort,
      onListening: (url) => void told.push(url, ...lines),
    },
  );
  undo.push(() => outrider.stop());
  return { outrider, lines, told };
}

describe('a process whose port is taken', () => {
  it.each([
    [['up']],
    [['up', '--sandbox']],
    [['run', 'ingest', 'dispatch']],
    [['run', 'dispatch', '--health']],
    [['publish', '--health']],
  ])('says so before it asks the database for anything: %j', async (args) => {
    const [taken, postgres] = [await listener(), await listener()];
    const databaseUrl = `postgresql://x@127.0.0.1:${postgres.port}/x`;
    const env = { OUTRIDER_PORT: String(taken.port) };
    expect(await runOutrider(args, { databaseUrl, env })).toEqual({
      code: 1,
      out: '',
      err: `outrider ${args[0]}: port ${taken.port} is taken\n  set OUTRIDER_PORT to another one, or stop the program that listens there\n`,
    });
    expect(postgres.calls()).toBe(0);
  });

  it('publishes nothing', async () => {
    const { port } = await listener();
    const env = { OUTRIDER_PORT: String(port), OUTRIDER_OUTBOX_BROKER: 'log:' };
    const ended = await runOutrider(['publish', '--health'], { databaseUrl: database.url, env });
    expect(ended).toEqual({
      code: 1,
      out: '', // the log would have a line for a publisher that has started
      err: expect.stringMatching(/^outrider publish: port \d+ is taken\n {2}set OUTRIDER_PORT to/),
    });
  });

  it('sends nothing, even where somebody took the port after it was free', async () => {
    const { port } = await listener();
    const { outrider, lines, told } = await open(port);
    const started = outrider.start(['ingest', 'dispatch', 'upkeep']);
    await expect(started).rejects.toThrow(`port ${port} is taken`);
    expect([lines, told]).toEqual([[], []]);
  });

  it('runs beside the one that has it, where it only dispatches', async () => {
    const { port } = await listener();
    const { outrider, lines } = await open(port);
    await outrider.start(['dispatch', 'upkeep']);
    expect([outrider.url, lines[0]]).toEqual([undefined, expect.stringContaining('dispatching')]);
  });
});

describe('a process that starts', () => {
  it('holds its port, and tells everybody to come again but who asks whether it is alive', async () => {
    const place = { host: '127.0.0.1', port: await freePort() };
    const held = await holdPort(place);
    undo.push(() => held.release());
    const url = `http://127.0.0.1:${place.port}`;
    const post = await request(`${url}/v1/ingest`, { method: 'POST', body: '{"text": "Hello"}' });
    expect([post.status, post.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refusalIn(post)).toMatchObject({
      code: 'starting',
      message: 'the server is starting, so nothing was accepted',
    });
    expect((await request(`${url}/readyz`)).status).toBe(503);
    const alive = await request(`${url}/healthz`);
    expect([alive.status, alive.body]).toEqual([200, { alive: true }]);
    await expect(holdPort(place)).rejects.toThrow(`port ${place.port} is taken`);
  });

  it('gives the port that it holds to its server, also with a caller on the line', async () => {
    const port = await freePort();
    const heldPort = await holdPort({ host: '127.0.0.1', port });
    const { outrider } = await open(port, heldPort);
    const caller = net.connect(port, '127.0.0.1').on('error', () => undefined);
    await once(caller, 'connect');
    undo.push(() => caller.destroy());
    await outrider.start(['ingest']);
    expect(outrider.url).toBe(`http://127.0.0.1:${port}`);
    expect((await request(`${outrider.url}/readyz`)).status).toBe(200);
  });

  it('says where it listens before the first line of its log', async () => {
    const { outrider, lines, told } = await open(0);
    await outrider.start(['ingest', 'dispatch', 'upkeep']);
    expect(told).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)]);
    expect(lines[0]).toContain('dispatching');
  });

  it('names the stages of opening a database', async () => {
    const stages: string[] = [];
    const onStage = (stage: string): void => void stages.push(stage);
    const empty = await openEmptyDatabase();
    undo.push(() => empty.drop());
    const config = loadConfig({ DATABASE_URL: empty.url });
    await openAsConfigured(config, { onStage });
    await openAsConfigured(config, { onStage });
    expect(stages).toEqual(['connecting', 'migrating', 'connecting']);
  });
});
