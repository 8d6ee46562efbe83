import { once } from 'node:events';
import { chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { serverAccount } from '../../src/db/embedded/account.ts';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../src/db/embedded/pid-file.ts';
import { startServer } from '../../src/db/embedded/server.ts';
import { openClient } from '../../src/db/pool.ts';
import { asRoot, EmbeddedFolders, serverPid } from '../support/database/embedded-folders.ts';
import { freePort } from '../support/http/free-port.ts';
import { serverUser } from '../support/processes/server-user-child.ts';

const folders = new EmbeddedFolders();

describe('the embedded server', () => {
  it('runs as an unprivileged user, whoever starts it', async () => {
    await folders.start();
    const process = await stat(`/proc/${await serverPid(folders.shared)}`);
    expect(process.uid).not.toBe(0);
  });

  it.runIf(asRoot)('runs for an ordinary user too', async () => {
    const account = await serverAccount('/nowhere');
    const own = path.join(folders.parent, 'own');
    await mkdir(own);
    await chown(own, account?.uid ?? -1, account?.gid ?? -1);
    const user = await serverUser(folders.options('own/postgres'), account);
    expect(user.startedHere).toBe(true);
    await user.leave();
  });

  it('names the stages of its start', async () => {
    const stages: string[] = [];
    const onStage = (stage: string): void => void stages.push(stage);
    await folders.start(folders.options('stages', { onStage }));
    expect(stages).toEqual(['creating_cluster', 'starting_server']);
    await folders.start(folders.options('stages', { onStage }));
    expect(stages).toHaveLength(2);
  });

  it('knows Cyrillic letters and counts characters', async () => {
    const client = await folders.connect(await folders.start());
    const { rows } = await client.query("select lower('ЁЛКА') as lower, length('ёж') as length");
    expect(rows).toEqual([{ lower: 'ёлка', length: 2 }]);
  });

  it('keeps its data and its port across runs', async () => {
    const port = await freePort();
    await writeFile(clusterIn(folders.shared.dataDir).portFile, `${port}\n`);
    const first = await startServer(folders.shared);
    const client = await openClient({ url: first.url(), applicationName: 'outrider test' });
    await client.query('create table kept as select 42 as answer');
    await client.end();
    await first.stop();
    const again = await folders.connect(await folders.start());
    expect((await again.query('select answer from kept')).rows).toEqual([{ answer: 42 }]);
    expect([first.port, (await folders.start()).port]).toEqual([port, port]);
    await again.query('drop table kept');
  });

  it('listens on the loopback interface only, and only for those who know the password', async () => {
    const server = await folders.start();
    const client = await folders.connect(server);
    expect((await client.query('show listen_addresses')).rows).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]);
    const stranger = server.url().replace(server.password, 'guess');
    await expect(openClient({ url: stranger, applicationName: 'stranger' })).rejects.toThrow(
      /password authentication failed/,
    );
    const mode = (await stat(clusterIn(server.home).passwordFile)).mode & 0o777;
    expect(mode).toBe(0o600);
  });

  it('keeps statements and rows out of its log', async () => {
    const server = await folders.start();
    const client = await folders.connect(server);
    await client.query('create temp table small (v text check (length(v) < 3))');
    await expect(client.query("insert into small values ('s3cret-value')")).rejects.toThrow(
      /check/,
    );
    expect(await readFile(clusterIn(server.home).log, 'utf8')).not.toContain('s3cret-value');
  });

  it('takes another port when somebody else sits on its own', async () => {
    const squatter = net.createServer();
    squatter.listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    folders.later(() => squatter.close());
    const address = squatter.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    await writeFile(clusterIn(folders.shared.dataDir).portFile, `${address.port}\n`);
    const server = await folders.start();
    expect(server.port).not.toBe(address.port);
  });
});

describe('several processes', () => {
  it('that start at once on a fresh folder share one server, which exactly one of them started', async () => {
    const options = folders.options('contested');
    const all = await Promise.all([serverUser(options), serverUser(options), serverUser(options)]);
    folders.later(() => Promise.all(all.map((each) => each.leave())));
    expect(all.filter((each) => each.startedHere)).toHaveLength(1);
    expect(new Set(all.map((each) => each.port)).size).toBe(1);
    const traces = (await readdir(folders.parent)).filter((name) =>
      name.startsWith('contested.making'),
    );
    expect(traces).toEqual([]);
  });

  it('keep the server until the last one leaves', async () => {
    // A port that nobody else gets when it is stopped.
    await writeFile(clusterIn(folders.shared.dataDir).portFile, `${await freePort()}\n`);
    const first = await serverUser(folders.shared);
    const second = await startServer(folders.shared);
    const client = await openClient({ url: second.url(), applicationName: 'outrider test' });
    await first.leave();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await second.stop();
    expect(await readPidFile(clusterIn(folders.shared.dataDir))).toBeUndefined();
    await expect(openClient({ url: second.url(), applicationName: 'late' })).rejects.toMatchObject({
      code: 'database_away',
    });
  });

  it('that come while the last one leaves find a server', async () => {
    const first = await startServer(folders.shared);
    const [, second] = await Promise.all([first.stop(), folders.start()]);
    const client = await folders.connect(second);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
