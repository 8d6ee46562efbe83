import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  signingFault,
  signingSecrets,
  signWebhook,
  verifyWebhook,
} from '../../src/http/standard-webhooks.ts';

describe('the signature of a webhook', () => {
  it('is that of the test vector of Standard Webhooks', () => {
    const body = Buffer.from('{"test": 2432232314}');
    const at = new Date(1_614_265_330_000);
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(signWebhook({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, body }, [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is taken by the verifier, whatever the secret and the body', () => {
    const secret = fc.oneof(
      fc.uint8Array({ minLength: 1 }).map((key) => `whsec_${Buffer.from(key).toString('base64')}`),
      fc.string({ minLength: 1 }),
    );
    const given = [
      fc.uuid(),
      fc.uint8Array(),
      fc.array(secret, { minLength: 1, maxLength: 3 }),
    ] as const;
    fc.assert(
      fc.property(...given, (id, body, secrets) => {
        const at = new Date('2026-01-02T03:04:05.678Z');
        const headers = signWebhook({ id, at, body }, secrets);
        for (const each of secrets) {
          expect(verifyWebhook(headers, body, each, at)).toEqual({ ok: true, id });
        }
      }),
    );
  });

  it('is not taken for another body, id, time or secret', () => {
    const body = Buffer.from('{}');
    const at = new Date('2026-01-02T03:04:05Z');
    const headers = signWebhook({ id: 'a', at, body }, ['one']);
    const verify = (changed: object, bytes = body, secret = 'one') =>
      verifyWebhook({ ...headers, ...changed }, bytes, secret, at).ok;
    expect(verify({})).toBe(true);
    expect(verify({}, Buffer.from('{ }'))).toBe(false);
    expect(verify({ 'webhook-id': 'b' })).toBe(false);
    expect(verify({ 'webhook-timestamp': String(at.getTime() / 1000 + 1) })).toBe(false);
    expect(verify({}, body, 'two')).toBe(false);
  });
});

describe('the secret that webhooks are signed with', () => {
  it.each([
    ['plain', ['plain']],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']],
    [' whsec_b3RoZXI=  whsec_b3RoZXI', ['whsec_b3RoZXI=', 'whsec_b3RoZXI']],
  ])('may be %s', (text, secrets) => {
    expect(signingFault(text)).toBeUndefined();
    expect(signingSecrets(text)).toEqual(secrets);
  });

  it.each(['not base64 !!', 'whsec_b3RoZXI= other'])('is no phrase such as %s', (text) => {
    expect(signingFault(text)).toMatch(/^it has blanks: /);
  });

  it.each(['whsec_', 'whsec_A', 'whsec_not-base64', 'whsec_b3RoZXI= whsec_!!'])(
    'is base64 behind its prefix, and not %s',
    (text) => {
      expect(signingFault(text)).toBe('what follows whsec_ must be base64');
    },
  );
});

describe('a signature of Standard Webhooks', () => {
  const now = new Date('2026-03-02T10:00:00Z');
  const body = Buffer.from('{"text":"Lost"}');
  const seconds = now.getTime() / 1000;

  function headersOf(changes: Record<string, string> = {}, key: string | Buffer = 'key') {
    const id = changes['webhook-id'] ?? 'msg_1';
    const timestamp = changes['webhook-timestamp'] ?? String(seconds);
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${mac.digest('base64')}`,
      ...changes,
    };
  }

  it('is that of the published example', () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const payload = Buffer.from('{"test": 2432232314}');
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(verifyWebhook(headers, payload, secret, new Date(1_614_265_330_000))).toEqual({
      ok: true,
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    });
  });

  it('may stand among others', () => {
    const good = headersOf()['webhook-signature'];
    const signatures = `v1a,abc v1,${'A'.repeat(43)}= v1,short ${good} v2,x`;
    const headers = headersOf({ 'webhook-signature': signatures });
    expect(verifyWebhook(headers, body, 'key', now)).toEqual({ ok: true, id: 'msg_1' });
  });

  it.each([-300, 300])('is good %i seconds from now', (away) => {
    const headers = headersOf({ 'webhook-timestamp': String(seconds + away) });
    expect(verifyWebhook(headers, body, 'key', now).ok).toBe(true);
  });

  it.each([
    ['of another key', headersOf({}, 'other'), /^no signature/],
    ['301 seconds ago', headersOf({ 'webhook-timestamp': String(seconds - 301) }), /^webhook-time/],
    [
      '301 seconds ahead',
      headersOf({ 'webhook-timestamp': String(seconds + 301) }),
      /^webhook-time/,
    ],
    ['at no time', headersOf({ 'webhook-timestamp': 'now' }), /must be a time in seconds/],
    ['of nothing', headersOf({ 'webhook-signature': '' }), /^no signature/],
    ['without its version', headersOf({ 'webhook-signature': 'A'.repeat(44) }), /^no signature/],
    ['with an empty id', headersOf({ 'webhook-id': '' }), /^webhook-id must/],
    ['that is missing', {}, /is missing$/],
  ])('is refused %s', (_title, headers, reason) => {
    const verified = verifyWebhook(headers, body, 'key', now);
    expect(verified).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });
});
