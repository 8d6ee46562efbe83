// The providers as the configuration names them: one adapter for each platform, over one transport.

import { readFile } from 'node:fs/promises';
import type { Adapter } from '../adapters/adapter.ts';
import { platforms } from '../adapters/platforms.ts';
import type { Config } from '../config.ts';
import { OutriderError } from '../errors.ts';
import { createTransport, type Transport } from '../http/transport.ts';

export interface Providers {
  readonly adapters: Readonly<Record<string, Adapter>>;
  /** Waits for calls under way. */
  close(): Promise<void>;
}

export async function openProviders(config: Config): Promise<Providers> {
  const transport = await openTransport(config);
  const adapters = await Promise.all(
    platforms.map(async ({ name, create }) => {
      return [name, await create({ transport, baseUrl: config.apiUrls[name] })] as const;
    }),
  );
  return { adapters: Object.fromEntries(adapters), close: () => transport.close() };
}

/** Calls to servers of the platforms. */
export async function openTransport(config: Config): Promise<Transport> {
  // A send makes one call at a time; answers of bots are sent beside posts, and a pressed button is answered meanwhile.
  const connections = 3 * config.concurrency;
  return createTransport({ ca: await authorities(config), connections });
}

async function authorities({ caFile }: Config): Promise<string[]> {
  if (caFile === undefined) return [];
  try {
    return [await readFile(caFile, 'utf8')];
  } catch {
    throw new OutriderError('configuration', `OUTRIDER_CA_FILE: ${caFile} cannot be read`, {
      hint: 'it names a file with PEM certificates',
    });
  }
}
