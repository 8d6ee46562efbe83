// Makes certificates: tests of trust need their own authorities.

import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Authority {
  /** The certificate of the authority. */
  readonly pem: string;
  /** A certificate for 127.0.0.1, unless a host name is given. */
  issue(hostname?: string): { readonly cert: string; readonly key: string };
}

export function createAuthority(name: string): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    pem: certificate(name, name, own, isAuthority),
    issue(hostname) {
      const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = hostname === undefined ? der(0x87, Buffer.from([127, 0, 0, 1])) : dns(hostname);
      const { publicKey } = keys;
      const signed = { publicKey, privateKey: own.privateKey };
      return {
        cert: certificate(`server of ${name}`, name, signed, alternativeNames(names)),
        key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

function certificate(
  subject: string,
  issuer: string,
  keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  extension: Buffer,
): string {
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number
    ecdsaWithSha256,
    distinguishedName(issuer),
    sequence(utcTime('250101000000Z'), utcTime('491231235959Z')),
    distinguishedName(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', toBeSigned, keys.privateKey);
  const bytes = sequence(
    toBeSigned,
    ecdsaWithSha256,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

function distinguishedName(name: string): Buffer {
  const commonName = sequence(oid('550403'), der(0x0c, Buffer.from(name)));
  return sequence(der(0x31, commonName));
}

function dns(hostname: string): Buffer {
  return der(0x82, Buffer.from(hostname));
}

function alternativeNames(names: Buffer): Buffer {
  return sequence(oid('551d11'), der(0x04, sequence(names)));
}

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const isTrue = der(0x01, Buffer.from([0xff]));
const isAuthority = sequence(oid('551d13'), isTrue, der(0x04, sequence(isTrue)));
