import { execFileSync, spawnSync } from 'node:child_process';

/** Installs a missing server from Debian, if we may. */
export function installIfMissing(program: string, debianPackage: string): void {
  if (spawnSync(program, ['--version']).status === 0) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`${program} is missing: install it, or leave out what needs it`);
  }
  process.stderr.write(`installing the package ${debianPackage}\n`);
  const args = ['install', '-y', '--no-install-recommends', debianPackage];
  execFileSync('apt-get', args, { stdio: 'ignore' });
}
