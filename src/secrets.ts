// Reads the secret that a secret reference (`env:NAME` or `file:PATH`) names. Of `env:NAME|OTHER` the first variable
// counts that is set. A secret is read whenever it is needed, so a new one is used at once.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The secret, or a sentence about why it cannot be read. The sentence never quotes what was read. */
export type ReadSecret =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly reason: string };

/** A credential of a workspace, by its name. */
export interface CredentialBinding {
  readonly authRef: string;
  /** null: nothing is bound. */
  readonly secretRef: string | null;
}

export interface Secrets {
  /** For adapters: the secret that is bound to a credential. */
  ofCredential(binding: CredentialBinding): Promise<ReadSecret>;
  /** For endpoints and brokers. `named` says which reference it is: "the signing_secret_ref of endpoint news". */
  ofReference(ref: string, named: string): Promise<ReadSecret>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function createSecrets(environment: Environment): Secrets {
  return {
    async ofCredential({ authRef, secretRef }) {
      if (secretRef === null) return missing(`no credential is bound to auth_ref ${authRef}`);
      return read(environment, secretRef, `the secret_ref of auth_ref ${authRef}`);
    },
    ofReference: (ref, named) => read(environment, ref, named),
  };
}

const maxBytes = 64 * 1024;

async function read(environment: Environment, ref: string, named: string): Promise<ReadSecret> {
  const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(ref) ?? [];
  if (kind === 'env') return fromEnvironment(environment, name, named);
  if (kind === 'file') return fromFile(name);
  // Not quoted: it may be the secret, put in the wrong place.
  return missing(`${named} is neither env:NAME nor file:PATH`);
}

function fromEnvironment(environment: Environment, ref: string, named: string): ReadSecret {
  const names = ref.split('|');
  if (!names.every((name) => /^[A-Za-z_]\w*$/.test(name))) {
    return missing(`${named} does not name an environment variable`);
  }
  const given = (name: string) =>
    Object.hasOwn(environment, name) ? environment[name] : undefined;
  const name =
    names.find((each) => (given(each) ?? '').trim() !== '') ??
    names.find((each) => given(each) !== undefined);
  const value = name === undefined ? undefined : given(name);
  if (name === undefined || value === undefined) {
    return missing(`environment variable ${names.join(' or ')} is not set`);
  }
  return usable(value, `environment variable ${name}`);
}

async function fromFile(path: string): Promise<ReadSecret> {
  const place = `file ${path}`;
  try {
    // Does not wait for the other end of a pipe.
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

function usable(value: string, place: string): ReadSecret {
  const secret = value.trim();
  if (secret === '') return missing(`${place} is empty`);
  // A header does not take control characters, and an address would change them.
  if (/\p{Cc}/u.test(secret)) return missing(`${place} holds more than one line`);
  return { ok: true, secret };
}

function missing(reason: string): ReadSecret {
  return { ok: false, reason };
}
