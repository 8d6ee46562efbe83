// Whether the database is there, and is ours.

import { critical } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

export const databaseReachable: DoctorCheck = {
  name: 'database_reachable',
  area: 'database',
  asks: 'does PostgreSQL answer, and does it take this login',
  needs: 'opening',
  look({ unreachable, place }) {
    if (unreachable === undefined) return [];
    const fix =
      unreachable.hint ??
      'see that PostgreSQL runs there, and that DATABASE_URL names it; without DATABASE_URL Outrider starts one of its own';
    return [critical(`database ${place}`, unreachable.message, fix)];
  },
};

export const databaseSchema: DoctorCheck = {
  name: 'database_schema',
  area: 'database',
  asks: 'is the schema that of this version, and may the login work with it',
  needs: 'opening',
  look({ refused, place }) {
    // Another check has the words for a server that cannot hold the schema.
    if (refused === undefined || refused.code === 'database_unsuitable') return [];
    return [critical(`database ${place}`, refused.message, refused.hint ?? 'outrider migrate')];
  },
};
