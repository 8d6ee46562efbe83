// Whether this server can hold Outrider's data faithfully.

import { critical, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

const oldest = 15;
const newest = 18;

export const databaseVersion: DoctorCheck = {
  name: 'database_version',
  area: 'database',
  asks: `is it PostgreSQL ${oldest} to ${newest}, and a server that takes writes`,
  needs: 'server',
  look({ facts: { number, version, is_standby: isStandby, settings } }) {
    const major = Math.floor(number / 10_000);
    if (major < oldest) {
      const says = `PostgreSQL ${version} is too old`;
      return [critical(null, says, `move the database to PostgreSQL ${oldest} or newer`)];
    }
    if (isStandby) {
      const says = 'the server is a standby: it can be read, and takes no post and no outcome';
      return [critical(null, says, 'let DATABASE_URL name the primary, or promote this server')];
    }
    if (settings['default_transaction_read_only'] === 'on') {
      const fix = `alter database … reset default_transaction_read_only (or the login's, by alter role)`;
      return [critical(null, 'transactions are read-only (default_transaction_read_only)', fix)];
    }
    if (major <= newest) return [];
    const says = `PostgreSQL ${version} is newer than what this version of Outrider was tested on`;
    return [warning(null, says, `take a newer Outrider, or PostgreSQL ${newest}`)];
  },
};

export const databaseEncoding: DoctorCheck = {
  name: 'database_encoding',
  area: 'database',
  asks: 'is the encoding UTF-8',
  needs: 'server',
  look({ facts: { encoding, database } }) {
    if (encoding === 'UTF8') return [];
    const says = `the encoding of database ${database} is ${encoding}: texts would be cut and compared by bytes`;
    const fix = `create database … encoding 'UTF8' template template0, and move the data there`;
    return [critical(null, says, fix)];
  },
};
