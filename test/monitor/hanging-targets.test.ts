import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/log.ts';
import { type Monitor, startMonitor } from '../../src/monitor/monitor.ts';
import { createEmailTarget } from '../../src/monitor/targets/email.ts';
import { type AlertMessage, type Tell, untold } from '../../src/monitor/targets/target.ts';
import { addAlertTarget } from '../support/alerts/alert-rows.ts';
import { meddling } from '../support/database/meddling.ts';
import { addChannel, addWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

// A target that takes the connection and never comes to an end.

const database = await useDatabase();
const log = createLog({ level: 'silent', pretty: false, write: () => undefined });
const disabled = { enabled: false, stopped_because: JSON.stringify({ code: 'kicked' }) };

interface DrippingServer {
  readonly port: number;
  readonly sockets: readonly Socket[];
  close(): void;
}

/** Greets, then answers with lines of an answer that never ends, so that the connection is never idle. */
async function startDrippingServer(): Promise<DrippingServer> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('220 hi\r\n');
    socket.on('data', () => {
      const drip = setInterval(() => socket.write('250-x\r\n'), 20);
      socket.once('close', () => clearInterval(drip));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return {
    port: address.port,
    sockets,
    close() {
      for (const each of sockets) each.destroy();
      server.close();
    },
  };
}

let mail: DrippingServer;
beforeEach(async () => {
  mail = await startDrippingServer();
  await database.admin.query('update outrider.alert_targets set enabled = false');
  await database.admin.query('delete from outrider.run_guards');
});
afterEach(() => mail.close());

const emailTo = (port: number): Tell =>
  createEmailTarget({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'outrider@example.org' });

function messageOf(recipients: readonly string[]): AlertMessage {
  const nothing = { targetId: null, authRef: null, secretRef: null, platform: null };
  return {
    id: randomUUID(),
    workspaceId: 'city',
    alertTargetId: 'mail',
    address: { ...nothing, kind: 'email', rateGroup: null, url: null, recipients: [...recipients] },
    subject: 'one',
    body: 'one',
    changes: [],
  };
}

describe('an e-mail to a server that drips', () => {
  it('is given up with the signal, and its connection is broken off', async () => {
    const late = new AbortController();
    const telling = emailTo(mail.port)(messageOf(['a@example.org']), late.signal);
    // More than the greeting: it drips.
    await vi.waitFor(() => expect(mail.sockets[0]?.bytesWritten).toBeGreaterThan(20), 30_000);
    late.abort();
    const told = await telling;
    expect(told).toMatchObject({ ok: false, reason: expect.stringContaining('in time') });
    await vi.waitFor(
      () => expect(mail.sockets.map((each) => each.destroyed)).toEqual([true]),
      30_000,
    );
  });
});

describe('a monitor with a target that never answers', () => {
  const started: Monitor[] = [];

  async function addTroubled(kind: 'email' | 'log'): Promise<string> {
    const workspaceId = `w${randomUUID().slice(0, 8)}`;
    await addWorkspace(database.admin, workspaceId, { alert_on_installation: false });
    const email = { alert_target_id: 'mail', kind, recipients: ['ann@example.org'] };
    await addAlertTarget(database.admin, workspaceId, kind === 'email' ? email : {});
    await addChannel(database.admin, workspaceId, 'lost', disabled);
    return workspaceId;
  }

  function start(tell: Tell, seconds: () => number = () => 0): Monitor {
    const clock = createManualClock();
    const now = () => after(seconds());
    const monitor = startMonitor({ client: database.service, log, clock, tell, now });
    started.push(monitor);
    return monitor;
  }

  it('tells the others meanwhile, says that this one is not reached, and stops at once', async () => {
    const hung = await addTroubled('email');
    const told: string[] = [];
    let seconds = 0;
    const email = emailTo(mail.port);
    const monitor = start(
      async (message, signal) => {
        if (message.address.kind === 'email') return email(message, signal);
        told.push(message.workspaceId);
        return { ok: true, said: 'told' };
      },
      () => seconds,
    );
    await vi.waitFor(() => expect(mail.sockets).toHaveLength(1), 10_000);

    const other = await addTroubled('log');
    monitor.look();
    await vi.waitFor(() => expect(told).toEqual([other]), 10_000);

    seconds = 660;
    const reason = `alerts do not reach target mail of workspace ${hung}`;
    await vi.waitFor(() => {
      monitor.look();
      expect(monitor.health()).toEqual({ ok: true, reason });
    }, 10_000);
    await monitor.stop();
    await vi.waitFor(() => expect(mail.sockets.every((each) => each.destroyed)).toBe(true), 30_000);
  });

  it('is not ready when it cannot take messages at all', async () => {
    await addTroubled('log');
    const client = meddling(database.service, async (query) => {
      if (query.includes('claim_notifications')) throw new Error('refused');
    });
    const clock = createManualClock();
    const monitor = startMonitor({ client, log, clock, tell: async () => untold('never') });
    await vi.waitFor(() => {
      clock.advance(10_000);
      expect(monitor.health()).toEqual({ ok: false, reason: 'cannot send alerts' });
    }, 20_000);
    await monitor.stop();
  });
});
