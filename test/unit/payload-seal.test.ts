import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parsePayloadKeys, readPayloadKeys } from '../../src/payloads/keys.ts';
import { nonceBytes, seal, unseal } from '../../src/payloads/seal.ts';
import { createSecrets } from '../../src/secrets.ts';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [first, second] = [key('k1'), key('k2')];
const keys = parsePayloadKeys(first);
const name = { workspaceId: 'city', payloadRef: 'payload-1' };
const bytes = Buffer.from('HTTP/1.1 400\r\n\r\n{"phone": "+7 916 123-45-67"}');
const sealed = (): Buffer => seal(name, bytes, keys.current, randomBytes(nonceBytes));

describe('a sealed payload', () => {
  it('is what it was when it is opened', () => {
    expect(unseal(name, sealed(), keys)).toEqual({ ok: true, bytes });
    const empty = seal(name, Buffer.alloc(0), keys.current, randomBytes(nonceBytes));
    expect(unseal(name, empty, keys)).toEqual({ ok: true, bytes: Buffer.alloc(0) });
  });

  it('shows nothing of it', () => {
    const object = sealed().toString('latin1');
    for (const part of ['916', 'phone', 'HTTP', 'city']) expect(object).not.toContain(part);
    expect(sealed()).not.toEqual(sealed());
  });

  it.each([
    { workspaceId: 'town', payloadRef: 'payload-1' },
    { workspaceId: 'city', payloadRef: 'payload-2' },
  ])('cannot be passed off as another: $workspaceId/$payloadRef', (other) => {
    expect(unseal(other, sealed(), keys)).toEqual({ ok: false, fault: 'damaged' });
  });

  it('is refused when any byte of it is another, or missing', () => {
    const object = sealed();
    for (let n = 0; n < object.byteLength; n += 1) {
      const changed = Buffer.from(object);
      changed[n] = (changed[n] ?? 0) ^ 1;
      expect(unseal(name, changed, keys).ok).toBe(false);
      expect(unseal(name, object.subarray(0, n), keys).ok).toBe(false);
    }
  });
});

describe('the keys', () => {
  it('open what an earlier one sealed, for as long as the list has it', () => {
    const object = sealed();
    expect(unseal(name, object, parsePayloadKeys(`${second},${first}`)).ok).toBe(true);
    expect(parsePayloadKeys(`${second}, ${first}`).current.id).toBe('k2');
    expect(unseal(name, object, parsePayloadKeys(second))).toEqual({
      ok: false,
      fault: 'no_key',
      keyId: 'k1',
    });
  });

  it.each([
    ['', 'has an entry (number 1) that is not id:base64key'],
    ['k1', 'has an entry (number 1) that is not id:base64key'],
    [`${first},`, 'has an entry (number 2) that is not id:base64key'],
    [`a key:${randomBytes(32).toString('base64')}`, 'number 1'],
    [`k1:${randomBytes(16).toString('base64')}`, 'has a key (k1) of 16 bytes; 32 are needed'],
    [`${first},${key('k1')}`, 'has two keys with the id k1'],
  ])('are refused in words that quote none: %#', (list, words) => {
    expect(() => parsePayloadKeys(list)).toThrow(words);
    const secrets = list.split(/[:,]/).filter((each) => each.length > 10);
    for (const each of secrets) expect(() => parsePayloadKeys(list)).not.toThrow(each);
  });

  it('are none when none are configured, and must be there when they are', async () => {
    const secrets = createSecrets({ KEYS: first });
    expect(await readPayloadKeys(undefined, secrets)).toBeUndefined();
    expect((await readPayloadKeys('env:KEYS', secrets))?.current.id).toBe('k1');
    await expect(readPayloadKeys('env:OTHERS', secrets)).rejects.toMatchObject({
      code: 'configuration',
      message: 'OUTRIDER_PAYLOAD_KEY_REF: environment variable OTHERS is not set',
    });
  });
});
