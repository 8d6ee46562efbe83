// Whether there are connections enough, and whether the server lets them live.

import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

export const databaseConnections: DoctorCheck = {
  name: 'database_connections',
  area: 'database',
  asks: 'does PostgreSQL admit as many connections as the pools of a process want, and are some left',
  needs: 'server',
  look({ facts, connectionsOfUp: wanted }) {
    const { settings, in_use: inUse, is_superuser: isSuperuser } = facts;
    const { of_database: ofDatabase, of_login: ofLogin } = facts;
    const reserved = ['superuser_reserved_connections', 'reserved_connections']
      .map((name) => Number(settings[name] ?? 0))
      .reduce((sum, each) => sum + each, 0);
    const most = Number(settings['max_connections']) - reserved;
    const limits = [
      {
        of: 'max_connections, without the reserved ones,',
        most,
        fix: 'alter system set max_connections = 100; and restart the server',
      },
      {
        of: `database ${facts.database}`,
        most: ofDatabase,
        fix: `alter database ${facts.database} connection limit -1;`,
      },
      {
        of: `login ${facts.login}`,
        most: ofLogin,
        fix: `alter role ${facts.login} connection limit -1;`,
      },
    ];
    const found: Finding[] = limits
      // -1 is no limit, and a superuser has none but the first.
      .filter((each, n) => (n === 0 || !isSuperuser) && each.most >= 0 && each.most < wanted)
      .map(({ of, most: admitted, fix }) => {
        const says = `${of} admits ${admitted} connections, and one process of outrider up opens up to ${wanted}`;
        return critical('connections', says, fix);
      });
    if (found.length === 0 && inUse > 0.9 * most) {
      const says = `${inUse} of ${most} connections are in use`;
      const fix = 'raise max_connections, or see in pg_stat_activity who holds them';
      found.push(warning('connections', says, fix));
    }
    return found;
  },
};

const timeouts = [
  {
    name: 'idle_in_transaction_session_timeout',
    leastMs: 30_000,
    why: 'a publisher holds its transaction while the broker takes its events',
  },
  {
    name: 'transaction_timeout',
    leastMs: 60_000,
    why: 'a purge, a migration and a publisher need longer',
  },
  {
    name: 'idle_session_timeout',
    leastMs: 3_600_000,
    why: 'idle connections of the pools, and those that wait for news, are cut off again and again',
  },
] as const;

export const databaseTimeouts: DoctorCheck = {
  name: 'database_timeouts',
  area: 'database',
  asks: 'does the server leave transactions and idle sessions the time that they need',
  needs: 'server',
  look({ facts: { settings } }) {
    return timeouts.flatMap(({ name, leastMs, why }) => {
      const ms = Number(settings[name] ?? 0);
      if (ms === 0 || ms >= leastMs) return [];
      const says = `${name} is ${ms / 1000} s: ${why}`;
      return [
        warning(
          `setting ${name}`,
          says,
          `alter system set ${name} = '${leastMs / 1000}s'; select pg_reload_conf(); or reset it for the database or the login`,
        ),
      ];
    });
  },
};
