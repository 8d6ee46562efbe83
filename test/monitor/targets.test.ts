import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AlertMessage } from '../../src/monitor/targets/target.ts';
import { addWorkspace, setGroup } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type OtherSide,
  type OtherSides,
  openOtherSides,
  password,
  signingSecret,
} from './target-harness.ts';

// What every kind of alert target does, against servers on real sockets.

const database = await useDatabase();
let sides: OtherSides;

beforeAll(async () => {
  await addWorkspace(database.admin, 'city');
  sides = await openOtherSides(database.service);
});

afterAll(async () => {
  await sides.close();
});

const kinds = ['telegram', 'max', 'webhook', 'email', 'log'];

function sideOf(name: string): OtherSide {
  const side = sides.targets.find((each) => each.name === name);
  if (side === undefined) throw new Error(`there is no ${name}`);
  return side;
}

function messageTo({ address }: OtherSide, body: string): AlertMessage {
  const change = {
    alert_id: randomUUID(),
    kind: 'dead_letters',
    subject: null,
    severity: 'critical',
    change: 'opened',
    summary: body,
  } as const;
  return {
    id: randomUUID(),
    workspaceId: 'city',
    alertTargetId: 'admins',
    address,
    subject: 'workspace city: 1 critical',
    body,
    changes: [change],
  };
}

const tell = (message: AlertMessage) => sides.tell(message, AbortSignal.timeout(20_000));

describe.each(kinds)('a target of kind %s', (kind) => {
  it('takes the message, as it is', async () => {
    const side = sideOf(kind);
    const told = await tell(messageTo(side, '3 deliveries are dead <b>&'));
    expect(told).toMatchObject({ ok: true });
    expect(side.received().join('\n')).toContain('3 deliveries are dead <b>&');
  });

  it('says why it does not, without a secret', async () => {
    const side = sideOf(kind);
    if (side.refuse === undefined) return;
    side.refuse();
    const before = side.received().length;
    const told = await tell(messageTo(side, 'nobody hears this'));
    side.accept?.();
    expect(told).toMatchObject({ ok: false, reason: expect.stringMatching(/\w{3}/) });
    const words = JSON.stringify(told);
    for (const secret of [password, signingSecret, 'demo-token']) {
      expect(words).not.toContain(secret);
    }
    expect(side.received()).toHaveLength(before);
  });

  it('does not wait for a message that was stopped', async () => {
    const stopped = await sides.tell(messageTo(sideOf(kind), 'x'), AbortSignal.abort());
    expect(typeof stopped.ok).toBe('boolean');
  });
});

describe('a webhook', () => {
  it('is signed, and tells each change under the names of the schema', async () => {
    const side = sideOf('webhook');
    const message = messageTo(side, 'one');
    await tell(message);
    const body: unknown = JSON.parse(side.received().at(-1) ?? '');
    expect(body).toMatchObject({
      type: 'outrider.alerts',
      data: { workspace_id: 'city', text: 'one', changes: message.changes },
    });
  });

  it('is not sent under a secret that is malformed, and says what one is', async () => {
    const side = sideOf('webhook');
    const before = side.received().length;
    const address = { ...side.address, secretRef: 'env:MALFORMED_SECRET' };
    expect(await tell({ ...messageTo(side, 'x'), address })).toEqual({
      ok: false,
      reason: expect.stringMatching(/^the signing secret cannot be used: .* begin with whsec_/),
      othersMay: true,
    });
    expect(side.received()).toHaveLength(before);
  });

  it('heeds how long its receiver wants to be left alone', async () => {
    const side = sideOf('webhook');
    side.refuse?.();
    expect(await tell(messageTo(side, 'x'))).toEqual({
      ok: false,
      reason: 'the receiver answered with 503',
      retryAfterMs: 90_000,
    });
    side.accept?.();
  });

  it('goes to no private address unless that is allowed', async () => {
    const side = sideOf('webhook');
    const address = { ...side.address, url: 'http://127.0.0.1:1/' };
    expect(await tell({ ...messageTo(side, 'x'), address })).toMatchObject({ ok: false });
    const metadata = { ...side.address, url: 'http://169.254.169.254/latest' };
    expect(await tell({ ...messageTo(side, 'x'), address: metadata })).toEqual({
      ok: false,
      reason: '169.254.169.254 is not on the public internet',
      retryAfterMs: undefined,
    });
  });
});

describe('a chat', () => {
  it('is told within the pace of its rate group, and not while the group is shut', async () => {
    const side = sideOf('telegram');
    const group = { platform: 'telegram', rate_group: 'telegram-bot' };
    await setGroup(database.admin, 'city', {
      ...group,
      closed_at: new Date().toISOString(),
      closed_auth_ref: 'telegram-bot',
    });
    const before = side.received().length;
    expect(await tell(messageTo(side, 'x'))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is shut: its credential was refused'),
    });
    expect(side.received()).toHaveLength(before);
    await setGroup(database.admin, 'city', { ...group, closed_at: null, closed_auth_ref: null });
  });

  it('whose token cannot be read is not told, and says which reference is to be set', async () => {
    const side = sideOf('max');
    const address = { ...side.address, secretRef: 'env:NOT_SET' };
    expect(await tell({ ...messageTo(side, 'x'), address })).toEqual({
      ok: false,
      reason: 'credential max-bot cannot be read: environment variable NOT_SET is not set',
      othersMay: true,
    });
  });
});

describe('an e-mail', () => {
  it('goes to all recipients, with the subject and an id of its own', async () => {
    const side = sideOf('email');
    const message = messageTo(side, 'one');
    await tell(message);
    const mail = side.received().at(-1) ?? '';
    expect(mail).toContain('To: ann@example.org, bob@example.org');
    expect(mail).toContain('Subject: Outrider, workspace city: 1 critical');
    expect(mail).toContain(`Message-ID: <${message.id}@outrider>`);
  });
});
