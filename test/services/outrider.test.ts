import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { createLog } from '../../src/log.ts';
import {
  type NewPost,
  type Outrider,
  type OutriderMeans,
  openOutrider,
  type RoleName,
} from '../../src/outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { freePort } from '../support/http/free-port.ts';
import { request, send } from '../support/http/ingest.ts';
import { emit, storedEvent } from '../support/outbox/outbox-events.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import {
  addSandboxChannels,
  sandboxSecrets,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { statusesOf } from '../support/sandbox/sandbox-posts.ts';

// Outrider inside a program of somebody else's: one object that takes posts in, sends them, and is stopped.

const database = await useDatabase();
const sandbox = await useSandbox();
const folder = await useFolder();
let lines: string[] = [];
const undo = useUndo(() =>
  database.admin.query("update outrider.workspaces set status = 'disabled'"),
);
const everything = ['ingest', 'dispatch', 'upkeep'] as const;

async function open(means: OutriderMeans = {}, port = 0): Promise<Outrider> {
  lines = [];
  const given = {
    databaseUrl: database.url,
    apiUrls: urlsOf(sandbox),
    http: { port },
    dataDir: folder,
    drainMs: 30_000,
    secrets: sandboxSecrets,
  };
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) });
  const outrider = await openOutrider(given, { log, ...means });
  undo.push(() => outrider.stop());
  return outrider;
}

async function addChannels(workspaceId: string) {
  const counts = { telegram: 1, max: 1, vk: 1 };
  return addSandboxChannels(database.admin, sandbox, { workspaceId, counts });
}

async function allToBeSent(workspaceId: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 3 }),
    30_000,
  );
}

const messages = (): string[] =>
  lines.map((line) => z.object({ message: z.string() }).parse(JSON.parse(line)).message);

describe('Outrider in a program', () => {
  it('takes a post in, delivers it, and tells what became of it', async () => {
    const channels = await addChannels('program');
    const outrider = await open();
    await outrider.start(everything);
    const post = { text: 'Found: a ginger dog', tags: ['found'] } as const;
    const accepted = await outrider.enqueue('program', Object.freeze(post));
    expect(accepted.channels.map((each) => each.verdict)).toEqual(['queued', 'queued', 'queued']);
    await allToBeSent('program');
    for (const each of channels) {
      expect(textsOf(sandbox, each)).toEqual(['Found: a ginger dog']);
    }
    const { messageId } = accepted;
    const filter = { workspaceId: 'program', messageId, limit: 10 };
    const deliveries = await outrider.inspect.deliveries(filter);
    expect(deliveries.map((each) => each.status)).toEqual(['sent', 'sent', 'sent']);
    const shown = await outrider.inspect.delivery('program', deliveries[0]?.deliveryId ?? '');
    expect(shown.events.map((each) => each.action)).toContain('sent');
  });

  it('delivers what comes over HTTP as well, and says how it does', async () => {
    await addChannels('http');
    await addEndpoint(database.admin, 'http', 'http', { ingress_rps: 1000 });
    const outrider = await open();
    await outrider.start(everything);
    const url = outrider.url ?? '';
    expect((await send({ url }, 'http', { text: 'Lost: Bim' })).status).toBe(202);
    await allToBeSent('http');
    const healthy = await outrider.health();
    expect(healthy).toEqual({
      ready: true,
      services: ['database', ...everything].map((name) => ({ name, ok: true })),
    });
    expect((await request(`${url}/readyz`)).body).toEqual(healthy);
  });

  it('takes posts in before it is started, for whoever sends', async () => {
    await addChannels('early');
    const outrider = await open();
    const accepted = await outrider.enqueue('early', { text: 'Early' });
    expect(accepted.channels).toHaveLength(3);
    await outrider.start(['dispatch']);
    await allToBeSent('early');
  });

  it('refuses a post that makes no sense, in words', async () => {
    await addChannels('nonsense');
    const outrider = await open();
    await expect(outrider.enqueue('nonsense', {})).rejects.toMatchObject({ code: 'invalid_input' });
    const far: NewPost = { media: [{ type: 'photo', url: 'http://127.0.0.1:1/x.png' }] };
    await expect(outrider.enqueue('nonsense', far)).rejects.toThrow(/^media\[0\]\.url: /);
  });

  it('publishes events of the outbox, and answers for its health where it has no other server', async () => {
    const told: unknown[] = [];
    const means = {
      answersHealth: true,
      worksAs: 'outrider_publisher',
      onListening: (url: string | undefined) => void told.push(url),
    } as const;
    // A port that nobody else gets when it is stopped.
    const outrider = await open(means, await freePort());
    const id = await emit(database.service);
    await outrider.start(['publish']);
    await vi.waitFor(
      async () => expect((await storedEvent(database.admin, id))?.published_at).not.toBeNull(),
      30_000,
    );
    expect(told).toEqual([outrider.url]);
    const { url } = outrider;
    await vi.waitFor(async () => expect((await request(`${url}/readyz`)).status).toBe(200), 30_000);
    await outrider.stop();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  });
});

describe('a start', () => {
  it('is refused when it was started already', async () => {
    const outrider = await open();
    await outrider.start(['upkeep']);
    await expect(outrider.start(['ingest'])).rejects.toMatchObject({
      message: 'it was started already',
      hint: 'name all roles in one call, or open another one for the others',
    });
  });

  it('is refused when it was stopped', async () => {
    const outrider = await open();
    await outrider.stop();
    await expect(outrider.start(['upkeep'])).rejects.toThrow('it was stopped, and does not start');
  });

  it('is refused with a role that there is not, and without any, with those that there are', async () => {
    const outrider = await open();
    const hint = 'there are adapters, ingest, pull, dispatch, bot, upkeep, monitor, publish';
    const unknown = z.array(z.custom<RoleName>()).parse(['dispatch', 'mail']);
    await expect(outrider.start(unknown)).rejects.toMatchObject({
      message: 'there is no role "mail"',
      hint,
    });
    await expect(outrider.start([])).rejects.toMatchObject({ message: 'which role?', hint });
    expect(lines).toEqual([]);
  });

  it('is ready when all its roles run, and says before that it is starting', async () => {
    const early: Promise<unknown>[] = [];
    const outrider: Outrider = await open({ onListening: () => early.push(outrider.health()) });
    await outrider.start(everything);
    expect(await Promise.all(early)).toEqual([
      {
        ready: false,
        services: [
          { name: 'database', ok: true },
          { name: 'ingest', ok: true },
          { name: 'process', ok: false, reason: 'it is starting' },
        ],
      },
    ]);
    expect(await outrider.health()).toMatchObject({ ready: true });
  });

  it('leaves nothing running when a role cannot start, and may be tried again', async () => {
    const port = await freePort();
    const first = await open({}, port);
    await first.start(['ingest']);
    const second = await open({}, port);
    await expect(second.start(everything)).rejects.toThrow(`port ${port} is taken`);
    expect([lines, second.url, (await second.health()).services]).toEqual([
      [],
      undefined,
      [{ name: 'database', ok: true }],
    ]);
    await first.stop();
    await second.start(everything);
    expect(second.url).toBe(`http://127.0.0.1:${port}`);
  });

  it('may be tried again when what a role needs can be opened after all', async () => {
    const caFile = path.join(folder, 'late.pem');
    const outrider = await openOutrider({
      databaseUrl: database.url,
      http: { port: 0 },
      dataDir: folder,
      caFile,
      logLevel: 'silent',
    });
    undo.push(() => outrider.stop());
    await expect(outrider.start(['dispatch'])).rejects.toThrow('late.pem cannot be read');
    await writeFile(caFile, rootCertificates[0] ?? '');
    await outrider.start(['dispatch']);
    expect(await outrider.health()).toMatchObject({ ready: true });
  });

  it('opens what sending needs before it takes anything in', async () => {
    const told: unknown[] = [];
    const outrider = await openOutrider(
      { databaseUrl: database.url, http: { port: 0 }, dataDir: folder, caFile: '/nowhere.pem' },
      { onListening: (url) => void told.push(url) },
    );
    undo.push(() => outrider.stop());
    await expect(outrider.start(everything)).rejects.toThrow('/nowhere.pem cannot be read');
    expect([told, outrider.url]).toEqual([[], undefined]);
  });
});

describe('a stop', () => {
  it('waits for posts that are being taken in', async () => {
    await addChannels('late');
    const outrider = await open();
    const taken = outrider.enqueue('late', { text: 'Just in time' });
    const order: string[] = [];
    await Promise.all([
      taken.then(() => order.push('taken')),
      outrider.stop().then(() => order.push('stopped')),
    ]);
    expect(order).toEqual(['taken', 'stopped']);
  });

  it('ends intake first, then the sends with their commits, then the upkeep', async () => {
    await addChannels('order');
    await addEndpoint(database.admin, 'order', 'order', { ingress_rps: 1000 });
    let held: HeldSends | undefined;
    const around = (deliver: Deliver): Deliver => {
      held = new HeldSends(deliver);
      return held.deliver;
    };
    // A port that nobody else gets when it is stopped.
    const outrider = await open({ around }, await freePort());
    await outrider.start(everything);
    const url = outrider.url ?? '';
    await outrider.enqueue('order', { text: 'Slow' });
    await vi.waitFor(() => expect(held?.begun).toHaveLength(3), 30_000);
    const stopped = outrider.stop();
    // Nobody can come in any more, while what was begun is neither ended nor broken off.
    await vi.waitFor(() => expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed'), 30_000);
    const during = await outrider.health();
    expect(during.services.map((each) => each.name)).toContain('upkeep');
    expect(during.services.at(-1)).toEqual({
      name: 'process',
      ok: false,
      reason: 'it is stopping',
    });
    expect(held?.begun.every(({ signal }) => !signal.aborted)).toBe(true);
    held?.letGo();
    await stopped;
    expect(await statusesOf(database.admin, 'order')).toEqual({ sent: 3 });
    expect(messages().at(-1)).toBe('stopped sending');
  });

  it('while it starts waits for the role that starts, and starts no other', async () => {
    const outrider = await open();
    const started = outrider.start(everything);
    const stopped = outrider.stop();
    await expect(started).rejects.toThrow('it was stopped before all its roles ran');
    await stopped;
    expect(messages()).not.toContain('dispatching');
    expect(outrider.url).toBeUndefined();
  });

  it('lets nothing more be taken in', async () => {
    const outrider = await open();
    await outrider.stop();
    await expect(outrider.enqueue('late', { text: 'Late' })).rejects.toThrow(
      'it was stopped, and takes nothing in',
    );
  });

  it('is the same when it is asked for twice', async () => {
    const outrider = await open();
    await outrider.start(['dispatch', 'upkeep']);
    await Promise.all([outrider.stop(), outrider.stop()]);
    expect(messages().filter((each) => each === 'stopped sending')).toHaveLength(1);
  });
});
