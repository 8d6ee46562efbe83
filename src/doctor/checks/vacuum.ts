// Whether what was deleted is cleaned up. A queue deletes and updates all the time.

import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

const deadAtLeast = 10_000;
/** PostgreSQL stops taking writes at two billion. */
const transactionsMost = 1_000_000_000;

export const databaseVacuum: DoctorCheck = {
  name: 'database_vacuum',
  area: 'database',
  asks: 'does autovacuum run, for every table, and has it kept up',
  needs: 'server',
  look({ facts: { settings, tables, transaction_age: age } }) {
    const found: Finding[] = [];
    for (const name of ['autovacuum', 'track_counts']) {
      if (settings[name] !== 'off') continue;
      const says = `${name} is off: tables grow without end, and the queue slows down`;
      const fix = `alter system set ${name} = on; select pg_reload_conf();`;
      found.push(critical(`setting ${name}`, says, fix));
    }
    for (const { name } of tables.filter((each) => !each.autovacuum)) {
      const says = `autovacuum is switched off for table ${name}`;
      found.push(
        warning(`table ${name}`, says, `alter table outrider.${name} reset (autovacuum_enabled);`),
      );
    }
    for (const { name, live, dead } of tables) {
      if (dead < deadAtLeast || dead < live) continue;
      const says = `table ${name} has ${dead} dead rows beside ${live} live ones`;
      const fix = `vacuum (analyze) outrider.${name}; and see database_transactions: an open transaction holds dead rows`;
      found.push(warning(`table ${name}`, says, fix));
    }
    if (age > transactionsMost) {
      const says = `the oldest transaction id is ${age} transactions old: PostgreSQL stops taking writes at two billion`;
      found.push(
        critical(
          'transaction ids',
          says,
          'vacuum (freeze) the database, and end what keeps autovacuum from it',
        ),
      );
    }
    return found;
  },
};
