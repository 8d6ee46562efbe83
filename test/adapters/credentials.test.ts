import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createCredentials } from '../../src/adapters/credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
afterAll(() => rmSync(folder, { recursive: true }));

const environment: Record<string, string> = {
  TELEGRAM_TOKEN: '42:AAsecret',
  PADDED: ' 42:AAsecret\r\n',
  EMPTY: '',
  BLANK: ' \n',
  TWO_LINES: 'one\ntwo',
};
const credentials = createCredentials(environment);

const read = (secretRef: string | null) => credentials.read({ authRef: 'tg-main', secretRef });

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const missing = (message: string) => ({
  ok: false,
  error: {
    category: 'TRANSIENT',
    scope: 'platform',
    code: 'credential_refused',
    outcome: 'refused',
    cause: 'credential',
    message,
  },
});

describe('a secret in the environment', () => {
  it.each(['TELEGRAM_TOKEN', 'PADDED'])('is read: %s', async (name) => {
    expect(await read(`env:${name}`)).toEqual({ ok: true, secret: '42:AAsecret' });
  });

  it('is read anew each time', async () => {
    environment['ROTATED'] = 'first';
    expect(await read('env:ROTATED')).toMatchObject({ secret: 'first' });
    environment['ROTATED'] = 'second';
    expect(await read('env:ROTATED')).toMatchObject({ secret: 'second' });
  });

  it.each([
    ['env:VK_TOKEN', 'environment variable VK_TOKEN is not set'],
    ['env:toString', 'environment variable toString is not set'],
    ['env:EMPTY', 'environment variable EMPTY is empty'],
    ['env:BLANK', 'environment variable BLANK is empty'],
    ['env:TWO_LINES', 'environment variable TWO_LINES holds more than one line'],
  ])('is missed in words: %s', async (secretRef, message) => {
    expect(await read(secretRef)).toEqual(missing(message));
  });
});

describe('a secret in a file', () => {
  it.each([
    ['as it is', '42:AAsecret'],
    ['without its last newline', '42:AAsecret\n'],
    ['without its last newline of another system', '42:AAsecret\r\n'],
    ['after a byte order mark', '\ufeff42:AAsecret'],
  ])('is read %s', async (_how, content) => {
    expect(await read(`file:${file('token', content)}`)).toEqual({
      ok: true,
      secret: '42:AAsecret',
    });
  });

  it('is read through a link, as orchestrators mount them', async () => {
    const link = join(folder, 'link');
    symlinkSync(file('target', 'linked'), link);
    expect(await read(`file:${link}`)).toEqual({ ok: true, secret: 'linked' });
  });

  it('is read anew after a rotation', async () => {
    expect(await read(`file:${file('rotated', 'first')}`)).toMatchObject({ secret: 'first' });
    expect(await read(`file:${file('rotated', 'second')}`)).toMatchObject({ secret: 'second' });
  });

  it('may have 64 KiB and no more', async () => {
    const largest = 'a'.repeat(64 * 1024);
    expect(await read(`file:${file('largest', largest)}`)).toEqual({ ok: true, secret: largest });
    const path = file('larger', `${largest}a`);
    expect(await read(`file:${path}`)).toEqual(missing(`file ${path} is larger than 64 KiB`));
  });

  it('is missed in words', async () => {
    const gone = join(folder, 'gone');
    expect(await read(`file:${gone}`)).toEqual(missing(`file ${gone} does not exist`));
    const below = join(file('plain', 'x'), 'below');
    expect(await read(`file:${below}`)).toEqual(missing(`file ${below} cannot be read (ENOTDIR)`));
    const empty = file('empty', '\n\n');
    expect(await read(`file:${empty}`)).toEqual(missing(`file ${empty} is empty`));
    const lines = file('lines', 'one\ntwo\n');
    expect(await read(`file:${lines}`)).toEqual(missing(`file ${lines} holds more than one line`));
    expect(await read(`file:${folder}`)).toEqual(missing(`file ${folder} is not a file`));
  });

  it('is not waited for at a pipe that nobody fills', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await read(`file:${pipe}`)).toEqual(missing(`file ${pipe} is not a file`));
  });
});

describe('a credential', () => {
  it('that is not bound is missed by its auth_ref', async () => {
    expect(await read(null)).toEqual(missing('no credential is bound to auth_ref tg-main'));
  });

  it.each([
    ['42:AAsecret', 'the secret_ref of auth_ref tg-main is neither env:NAME nor file:PATH'],
    ['env:', 'the secret_ref of auth_ref tg-main is neither env:NAME nor file:PATH'],
    ['env:42:AAsecret', 'the secret_ref of auth_ref tg-main does not name an environment variable'],
  ])('whose reference may be the secret itself is not quoted: %s', async (secretRef, message) => {
    expect(await read(secretRef)).toEqual(missing(message));
  });
});
