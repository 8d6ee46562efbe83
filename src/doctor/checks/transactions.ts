// What keeps PostgreSQL from cleaning up: transactions that were left open, and replication slots that nobody reads.

import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';
import { inMegabytes, span } from '../words.ts';

const openMostMs = 5 * 60_000;
const openFarTooLongMs = 3_600_000;

export const databaseTransactions: DoctorCheck = {
  name: 'database_transactions',
  area: 'database',
  asks: 'has somebody left a transaction open',
  needs: 'schema',
  look({ installation: { oldest_transaction: oldest, now } }) {
    const ms = oldest.since === null ? 0 : now.getTime() - oldest.since.getTime();
    if (ms < openMostMs) return [];
    const who = `process ${oldest.pid} of PostgreSQL, login ${oldest.login}, application ${oldest.application || 'unknown'}`;
    const says = `a transaction has been open for ${span(ms)} (${who}): nothing that was deleted since is cleaned up`;
    const fix = `end it where it was begun, or select pg_terminate_backend(${oldest.pid});`;
    const tell = ms < openFarTooLongMs ? warning : critical;
    return [tell(`transaction of process ${oldest.pid}`, says, fix)];
  },
};

export const preparedTransactions: DoctorCheck = {
  name: 'prepared_transactions',
  area: 'database',
  asks: 'was a transaction prepared for two phases and never ended',
  needs: 'server',
  look({ facts: { prepared }, now }) {
    return prepared
      .filter(({ since }) => now.getTime() - since.getTime() >= openMostMs)
      .map(({ name, since }) => {
        const says = `transaction "${name}" was prepared ${span(now.getTime() - since.getTime())} ago and never ended: it holds its locks`;
        return critical(
          `prepared transaction ${name}`,
          says,
          `commit prepared '${name}'; or rollback prepared '${name}';`,
        );
      });
  },
};

const heldMostBytes = 1024 ** 3;

export const replicationSlots: DoctorCheck = {
  name: 'replication_slots',
  area: 'database',
  asks: 'does a replication slot that nobody reads hold back WAL',
  needs: 'server',
  look({ facts: { slots } }) {
    return slots.flatMap(({ name, active, state, held_bytes: held }): Finding[] => {
      const where = `replication slot ${name}`;
      const fix = `let its reader go on, or select pg_drop_replication_slot('${name}');`;
      if (state === 'lost' || state === 'unreserved') {
        return [
          critical(
            where,
            `slot ${name} is ${state}: its reader has lost, or is about to lose, the WAL that it needs`,
            fix,
          ),
        ];
      }
      if (held === null) return [];
      if (!active) {
        return [
          warning(
            where,
            `nobody reads slot ${name}, which holds back ${inMegabytes(held)} of WAL: the disk fills up`,
            fix,
          ),
        ];
      }
      if (held < heldMostBytes) return [];
      return [
        warning(where, `the reader of slot ${name} is ${inMegabytes(held)} of WAL behind`, fix),
      ];
    });
  },
};
