// Faults of a database that a test plants for real, all of them at once.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { schemaDir } from '../../../src/db/open.ts';

/** What is planted, how it is taken away again, and what is found. */
interface Planted {
  readonly check: string;
  readonly plant: readonly string[];
  readonly undo: readonly string[];
  readonly finding: RegExp;
}

const setting = (line: string, finding: RegExp, check: string): Planted => {
  const [variable = ''] = line.split(' ');
  return {
    check,
    plant: [`alter system set ${line}`, 'select pg_reload_conf()'],
    undo: [`alter system reset ${variable}`, 'select pg_reload_conf()'],
    finding,
  };
};

/** In a database of this name, by what they are. */
export const faultsOf = (name: string): Readonly<Record<string, Planted>> => ({
  'fsync that is off': setting('fsync = off', /critical: setting fsync: /, 'database_durability'),
  'full_page_writes that is off': setting(
    'full_page_writes = off',
    /critical: setting full_page_writes: /,
    'database_durability',
  ),
  'synchronous_commit that is off for the database': {
    check: 'database_durability',
    plant: [`alter database ${name} set synchronous_commit = off`],
    undo: [`alter database ${name} reset synchronous_commit`],
    finding: /critical: setting synchronous_commit: .* lost in a crash/,
  },
  'autovacuum that is off': setting(
    'autovacuum = off',
    /critical: setting autovacuum: /,
    'database_vacuum',
  ),
  'a table that autovacuum passes over': {
    check: 'database_vacuum',
    plant: ['alter table outrider.deliveries set (autovacuum_enabled = false)'],
    undo: ['alter table outrider.deliveries reset (autovacuum_enabled)'],
    finding: /warning: table deliveries: autovacuum is switched off/,
  },
  'a table that is full of dead rows': {
    check: 'database_vacuum',
    plant: [
      'alter system set autovacuum_naptime = 3600',
      'select pg_reload_conf()',
      `insert into outrider.run_guards (name, run_id, lease_until)
       select n::text, gen_random_uuid(), now() from generate_series(1, 12000) n`,
      'delete from outrider.run_guards',
      'select pg_stat_force_next_flush()',
    ],
    undo: [
      'alter system reset autovacuum_naptime',
      'select pg_reload_conf()',
      'vacuum outrider.run_guards',
      'select pg_stat_force_next_flush()',
    ],
    finding: /warning: table run_guards: .* has 12\d{3} dead rows beside 0 live ones/,
  },
  'a timeout that cuts publishers off': {
    check: 'database_timeouts',
    plant: [`alter database ${name} set idle_in_transaction_session_timeout = '5s'`],
    undo: [`alter database ${name} reset idle_in_transaction_session_timeout`],
    finding: /warning: setting idle_in_transaction_session_timeout: .* is 5 s/,
  },
  'a database that takes no writes': {
    check: 'database_version',
    plant: [`alter database ${name} set default_transaction_read_only = on`],
    undo: [`alter database ${name} reset default_transaction_read_only`],
    finding: /critical: transactions are read-only/,
  },
  'a replication slot that nobody reads': {
    check: 'replication_slots',
    plant: ["select pg_create_physical_replication_slot('left_behind', true)"],
    undo: ["select pg_drop_replication_slot('left_behind')"],
    finding: /warning: replication slot left_behind: nobody reads slot left_behind/,
  },
  'a role that lost its membership': {
    check: 'database_rights',
    plant: ['revoke outrider_worker from outrider_service'],
    undo: ['grant outrider_worker to outrider_service'],
    finding: /critical: role outrider_worker: outrider_service is no member/,
  },
  'an owner that cannot see the transactions of others': {
    check: 'database_rights',
    plant: ['revoke pg_read_all_stats from outrider_owner'],
    undo: ['grant pg_read_all_stats to outrider_owner'],
    finding: /info: role outrider_owner: .* may not see the transactions of other logins/,
  },
  'an event without a partition of its day': {
    check: 'event_partitions',
    plant: [
      `insert into outrider.event_log (workspace_id, id, ts, action, attempt, result)
       values ('city', gen_random_uuid(), now() + interval '40 days', 'channel_paused', 0, 'ok')`,
    ],
    undo: ["delete from outrider.event_log where ts > now() + interval '30 days'"],
    finding: /warning: events_default: an event went to the default partition/,
  },
  'a day ahead without a partition': {
    check: 'event_partitions',
    plant: [
      `do $$ begin execute 'drop table outrider.events_' || to_char((now() at time zone 'UTC')::date + 2, 'YYYYMMDD'); end $$`,
    ],
    undo: ['select outrider.ensure_event_partitions(7)'],
    finding: /warning: event_log: there is no partition for the events of \d{4}-\d\d-\d\d/,
  },
  'a sequence close to its end': {
    check: 'sequences',
    plant: [
      "select setval(pg_get_serial_sequence('outrider.deliveries', 'seq'), 9000000000000000000)",
    ],
    undo: ["select setval(pg_get_serial_sequence('outrider.deliveries', 'seq'), 1)"],
    finding: /critical: sequence deliveries_seq_seq: .* 97 %/,
  },
  'a function that somebody has changed': {
    check: 'schema_drift',
    plant: [
      `create or replace function outrider.is_illness(p_error jsonb) returns boolean language sql immutable as 'select true'`,
    ],
    undo: [readFileSync(path.join(schemaDir, 'functions/commit/internal/is_illness.sql'), 'utf8')],
    finding: /critical: functions are not those of their files: is_illness/,
  },
  'an index that somebody has dropped': {
    check: 'schema_drift',
    plant: ['drop index outrider.channels_tags_idx'],
    undo: ['create index channels_tags_idx on outrider.channels using gin (tags)'],
    finding: /critical: are missing: index channels_tags_idx/,
  },
  'a trigger that somebody has disabled': {
    check: 'schema_drift',
    plant: ['alter table outrider.bot_rules disable trigger bot_rules_can_work'],
    undo: ['alter table outrider.bot_rules enable trigger bot_rules_can_work'],
    finding: /critical: triggers are disabled, .*: bot_rules_can_work on bot_rules/,
  },
  'a table without row level security': {
    check: 'schema_drift',
    plant: ['alter table outrider.channels disable row level security'],
    undo: ['alter table outrider.channels enable row level security'],
    finding: /critical: tables have no row level security: .*: channels/,
  },
});
