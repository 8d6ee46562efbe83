// Whether the schema is still as Outrider made it, and whether the record has room.

import { critical, type Finding, warning } from '../finding.ts';
import type { DoctorCheck } from '../installation.ts';
import { some } from '../words.ts';

export const schemaDrift: DoctorCheck = {
  name: 'schema_drift',
  area: 'database',
  asks: 'has somebody changed functions, tables, indexes, constraints, triggers or row security by hand',
  needs: 'schema',
  look({ drift }) {
    const kinds = [
      [
        drift.functions,
        'functions are not those of their files',
        'restore them: run the create or replace function of their files in db/functions',
      ],
      [drift.missing, 'are missing', 'make them anew, as db/schema.sql has them'],
      [
        drift.invalidIndexes,
        'indexes are invalid, and no query uses them',
        'reindex index concurrently outrider.…;',
      ],
      [
        drift.disabledTriggers,
        'triggers are disabled, and their rules do not hold',
        'alter table … enable trigger …;',
      ],
      [
        drift.unguarded,
        'tables have no row level security: every login with select sees all tenants',
        'alter table … enable row level security, force row level security;',
      ],
    ] as const;
    return kinds.flatMap(([names, says, fix]): Finding[] =>
      names.length === 0 ? [] : [critical(null, `${says}: ${some(names)}`, fix)],
    );
  },
};

export const eventPartitions: DoctorCheck = {
  name: 'event_partitions',
  area: 'database',
  asks: 'are the partitions of events made ahead, and is the default partition empty',
  needs: 'schema',
  look({ installation: { missing_days: days, stray_events: strays } }) {
    const fix =
      'run the role upkeep (outrider up, or outrider run upkeep): it makes them; or select outrider.ensure_event_partitions();';
    const found: Finding[] = [];
    if (days.length > 0) {
      found.push(
        warning('event_log', `there is no partition for the events of ${days.join(', ')}`, fix),
      );
    }
    if (strays > 0) {
      const count =
        strays === 1000
          ? 'a thousand events or more'
          : strays === 1
            ? 'an event'
            : `${strays} events`;
      const says = `${count} went to the default partition: a partition was not made in time`;
      found.push(
        warning(
          'events_default',
          says,
          `${fix} Those of days without a partition move when it is made; others are purged with their time`,
        ),
      );
    }
    return found;
  },
};

export const sequences: DoctorCheck = {
  name: 'sequences',
  area: 'database',
  asks: 'is a sequence close to its last number',
  needs: 'schema',
  look({ installation: { sequences: known } }) {
    return known
      .filter(({ used }) => used > 0.8)
      .map(({ name, used }) => {
        const says = `sequence ${name} has given out ${Math.floor(used * 100)} % of its numbers`;
        return critical(
          `sequence ${name}`,
          says,
          `alter sequence outrider.${name} as bigint no maxvalue; and ask why it is so far`,
        );
      });
  },
};
