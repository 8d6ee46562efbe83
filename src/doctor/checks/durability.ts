// Settings of the server with which an accepted post can be lost.

import { critical, type Finding, info } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

const dangers = [
  {
    name: 'fsync',
    is: 'off',
    says: 'fsync is off: a crash of the machine can destroy the whole database',
    fix: 'alter system set fsync = on; select pg_reload_conf();',
  },
  {
    name: 'full_page_writes',
    is: 'off',
    says: 'full_page_writes is off: a crash of the machine can leave pages that are half written',
    fix: 'alter system set full_page_writes = on; select pg_reload_conf();',
  },
  {
    name: 'synchronous_commit',
    is: 'off',
    says: 'synchronous_commit is off: posts that were answered as accepted, and outcomes of sends, are lost in a crash',
    fix: 'alter system set synchronous_commit = on; select pg_reload_conf(); a setting of the database or the login (alter database, alter role) comes before it: reset that one',
  },
] as const;

export const databaseDurability: DoctorCheck = {
  name: 'database_durability',
  area: 'database',
  asks: 'do fsync, full_page_writes and synchronous_commit keep what was accepted; are there data checksums',
  needs: 'server',
  look({ facts: { settings } }) {
    const found: Finding[] = dangers
      .filter(({ name, is }) => settings[name] === is)
      .map(({ name, says, fix }) => critical(`setting ${name}`, says, fix));
    if (settings['data_checksums'] === 'off') {
      const says = 'data checksums are off: a disk that returns wrong bytes is not noticed';
      const fix = 'stop the server and run pg_checksums --enable';
      found.push(info('setting data_checksums', says, fix));
    }
    return found;
  },
};
