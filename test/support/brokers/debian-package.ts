// Installs the servers of brokers from Debian's packages, if they are missing and we are root.

import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Why a program is missing; undefined if it is installed, or was installed just now. Throws if we are root and the
 * package cannot be installed.
 */
export function missingProgram(program: string, debianPackage: string): string | undefined {
  if (isInstalled(program)) return undefined;
  if (process.getuid?.() !== 0) {
    return `${program} is not installed, and only root can install it`;
  }
  process.stderr.write(`installing the package ${debianPackage}\n`);
  const install = ['install', '-y', '--no-install-recommends', debianPackage];
  if (apt(install) || (apt(['update']) && apt(install))) return undefined;
  throw new Error(`${program} is missing, and apt-get could not install ${debianPackage}`);
}

function isInstalled(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/lib/rabbitmq/bin'];
  return folders.some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

// One installation at a time, because test files run in parallel. In runlevel 1 a package starts no service.
function apt(words: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const lock = path.join(os.tmpdir(), 'outrider-test-apt.lock');
  return spawnSync('flock', [lock, 'apt-get', ...words], { env }).status === 0;
}
