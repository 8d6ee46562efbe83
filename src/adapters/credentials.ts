// From the reference of a credential to the secret itself. It is read for each send: a token that was
// rotated is used at once, and one that was revoked is not sent again, which would close its channels.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { SendError } from './adapter.ts';
import { permanent } from './answer.ts';

export interface CredentialBinding {
  readonly authRef: string;
  /** `env:NAME` or `file:PATH`; null: nothing is bound. */
  readonly secretRef: string | null;
}

export type Credential =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly error: SendError };

export interface Credentials {
  read(binding: CredentialBinding): Promise<Credential>;
}

const maxBytes = 64 * 1024;

export function createCredentials(
  environment: Readonly<Record<string, string | undefined>>,
): Credentials {
  return {
    async read({ authRef, secretRef }) {
      if (secretRef === null) return missing(`no credential is bound to auth_ref ${authRef}`);
      const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(secretRef) ?? [];
      if (kind === 'env') return fromEnvironment(environment, name, authRef);
      if (kind === 'file') return fromFile(name);
      // Not quoted: it may be the secret, put in the wrong place.
      return missing(`the secret_ref of auth_ref ${authRef} is neither env:NAME nor file:PATH`);
    },
  };
}

function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  authRef: string,
): Credential {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    return missing(`the secret_ref of auth_ref ${authRef} does not name an environment variable`);
  }
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  if (value === undefined) return missing(`environment variable ${name} is not set`);
  return usable(value, `environment variable ${name}`);
}

async function fromFile(path: string): Promise<Credential> {
  const place = `file ${path}`;
  try {
    // Without waiting for the other end of a pipe.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) return missing(`${place} is not a file`);
    const bytes = await readSome(file, maxBytes + 1);
    if (bytes.byteLength > maxBytes) return missing(`${place} is larger than 64 KiB`);
    return usable(bytes.toString('utf8'), place);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code === 'ENOENT') return missing(`${place} does not exist`);
    return missing(`${place} cannot be read (${typeof code === 'string' ? code : 'unknown'})`);
  }
}

async function readSome(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, size - length);
    length += bytesRead;
    if (bytesRead === 0 || length === size) return buffer.subarray(0, length);
  }
}

function usable(value: string, place: string): Credential {
  const secret = value.trim();
  if (secret === '') return missing(`${place} is empty`);
  // A header would not take it, and an address would change it.
  if (/\p{Cc}/u.test(secret)) return missing(`${place} holds more than one line`);
  return { ok: true, secret };
}

function missing(message: string): Credential {
  return { ok: false, error: permanent('credential_missing', message, { scope: 'channel' }) };
}
