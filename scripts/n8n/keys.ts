// The keys and passwords of the n8n of make n8n, made once and kept beside the data that they open.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const Keys = z.object({
  encryptionKey: z.string(),
  gatewayToken: z.string(),
  runNowToken: z.string(),
  loginPassword: z.string(),
  ownerPassword: z.string(),
});

export type Keys = z.output<typeof Keys>;

const key = (): string => randomBytes(24).toString('hex');

export function newKeys(): Keys {
  return {
    encryptionKey: key(),
    gatewayToken: key(),
    runNowToken: key(),
    loginPassword: key(),
    // n8n wants a capital letter and a digit.
    ownerPassword: `Out1-${randomBytes(6).toString('hex')}`,
  };
}

export async function keptKeys(folder: string): Promise<Keys> {
  const file = path.join(folder, 'keys.json');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return Keys.parse(JSON.parse(kept));
  const keys = newKeys();
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${JSON.stringify(keys)}\n`, { mode: 0o600 });
  return keys;
}
