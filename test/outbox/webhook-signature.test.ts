import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../src/ingest/signature.ts';
import { signatureHeaders } from '../../src/outbox/brokers/webhook-signature.ts';

describe('the signature of a webhook', () => {
  it('is that of the test vector of Standard Webhooks', () => {
    const body = Buffer.from('{"test": 2432232314}');
    const at = new Date(1_614_265_330_000);
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(signatureHeaders({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, body }, [secret])).toEqual({
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
        const headers = signatureHeaders({ id, at, body }, secrets);
        for (const each of secrets) {
          expect(verifySignature(headers, body, each, at)).toEqual({ ok: true, id });
        }
      }),
    );
  });

  it('is not taken for another body, id, time or secret', () => {
    const body = Buffer.from('{}');
    const at = new Date('2026-01-02T03:04:05Z');
    const headers = signatureHeaders({ id: 'a', at, body }, ['one']);
    const verify = (changed: object, bytes = body, secret = 'one') =>
      verifySignature({ ...headers, ...changed }, bytes, secret, at).ok;
    expect(verify({})).toBe(true);
    expect(verify({}, Buffer.from('{ }'))).toBe(false);
    expect(verify({ 'webhook-id': 'b' })).toBe(false);
    expect(verify({ 'webhook-timestamp': String(at.getTime() / 1000 + 1) })).toBe(false);
    expect(verify({}, body, 'two')).toBe(false);
  });
});
