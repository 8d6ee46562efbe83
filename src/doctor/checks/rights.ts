// Whether the roles are there, and whether the login may do its work.

import { critical, type Finding, info } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';

export const databaseRights: DoctorCheck = {
  name: 'database_rights',
  area: 'database',
  asks: 'are the roles there, is the login a member of outrider_service, and can open transactions be seen',
  needs: 'server',
  look({ facts: { rights, login } }) {
    const missing = rights.missing_roles;
    if (missing.length > 0) {
      const says = `there are no roles ${missing.join(', ')}`;
      return [critical(null, says, 'let an administrator run outrider migrate, or db/roles.sql')];
    }
    const found: Finding[] = [];
    if (!rights.is_service) {
      const says = `login ${login} is no member of outrider_service: it cannot take in, claim or commit`;
      found.push(critical(`login ${login}`, says, `grant outrider_service to ${login};`));
    }
    for (const role of rights.missing_memberships) {
      const says = `outrider_service is no member of ${role}, and lacks its functions`;
      found.push(critical(`role ${role}`, says, `grant ${role} to outrider_service;`));
    }
    if (!rights.sees_transactions) {
      const says =
        'outrider_owner may not see the transactions of other logins: the alert about one that was left open cannot be raised';
      found.push(info('role outrider_owner', says, 'grant pg_read_all_stats to outrider_owner;'));
    }
    return found;
  },
};
