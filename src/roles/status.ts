// The status page, which every HTTP server of a process has.

import { isIP } from 'node:net';
import { OutriderError } from '../errors.ts';
import type { Area } from '../http/server.ts';
import { leastTokenLength, tokenVariable } from '../status/access.ts';
import { statusArea } from '../status/area.ts';
import type { Ground } from './ground.ts';

/** Throws where the configuration would show the page to nobody, or to everybody. */
export async function openStatus(ground: Ground): Promise<Area> {
  const { config, log, clock, secrets } = ground;
  await requireSound(ground);
  return statusArea({
    ...config.status,
    client: ground.pools.status(),
    log,
    clock,
    secrets,
    maxAttempts: config.outbox.maxAttempts,
    workspaceId: config.workspace,
    everyMs: ground.intervals.statusEveryMs,
  });
}

async function requireSound({ config, secrets }: Ground): Promise<void> {
  const { tokenRef, isOpen } = config.status;
  if (isOpen && !isLoopback(config.http.host)) {
    throw new OutriderError(
      'configuration',
      'OUTRIDER_STATUS_OPEN shows the status page to this machine alone, and OUTRIDER_HOST lets others in',
      { hint: `set OUTRIDER_HOST to 127.0.0.1, or ${tokenVariable} instead` },
    );
  }
  if (tokenRef === undefined) return;
  const read = await secrets.ofReference(tokenRef, tokenVariable);
  const hint = `set ${tokenVariable} to env:NAME or file:PATH of a random token, such as openssl rand -hex 24 makes`;
  if (!read.ok) throw new OutriderError('configuration', read.reason, { hint });
  if (read.secret.length >= leastTokenLength) return;
  throw new OutriderError(
    'configuration',
    `the token of the status page has ${read.secret.length} characters; it needs ${leastTokenLength} or more`,
    { hint },
  );
}

/** Whether the server listens on this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
