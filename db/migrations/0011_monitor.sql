-- What watches over Outrider: signs of life of its processes, alerts, and the messages that tell people of them.

-- What operators do about alerts, as events.
alter type outrider.event_action add value 'alert_acknowledged';
alter type outrider.event_action add value 'alerts_silenced';
alter type outrider.event_action add value 'alerts_unsilenced';

alter table outrider.workspace_settings
  add column alert_oldest_due_over interval not null default '15 minutes',
  add column alert_stale_leases_for interval not null default '1 minute',
  add column alert_pull_lag_over interval,
  add column alert_outbox_lag_over interval not null default '5 minutes',
  add column alert_open_transaction_over interval not null default '10 minutes',
  add column alert_cooldown interval not null default '1 hour',
  add column alert_on_installation boolean not null default true,
  add column snapshot_every interval,
  add constraint alert_spans_are_positive check (
    least(
      alert_oldest_due_over, alert_stale_leases_for, alert_pull_lag_over, alert_outbox_lag_over,
      alert_open_transaction_over, alert_cooldown, snapshot_every
    ) > interval '0'
  ),
  add constraint alert_spans_are_within_a_thousand_years check (
    greatest(
      alert_oldest_due_over, alert_stale_leases_for, alert_pull_lag_over, alert_outbox_lag_over,
      alert_open_transaction_over, alert_cooldown, snapshot_every
    ) <= interval '1000 years'
  ),
  add constraint snapshots_are_a_minute_apart_or_more check (snapshot_every >= interval '1 minute');

comment on column outrider.workspace_settings.alert_failed_permanent_over is
  'How many deliveries may fail for good within ten minutes before an alert opens.';
comment on column outrider.workspace_settings.alert_paused_channels_over is
  'How many channels may be paused at once before an alert opens.';
comment on column outrider.workspace_settings.alert_oldest_due_over is
  'How long a delivery may be due in an open channel before an alert opens.';
comment on column outrider.workspace_settings.alert_stale_leases_for is
  'How long leases may stay expired, because nobody recovers them, before an alert opens.';
comment on column outrider.workspace_settings.alert_pull_lag_over is
  'How long a pull source may bring nothing before an alert opens; null: no alert.';
comment on column outrider.workspace_settings.alert_outbox_lag_over is
  'How long an event of the outbox may stay unpublished before an alert opens.';
comment on column outrider.workspace_settings.alert_open_transaction_over is
  'How long a transaction of this database may stay open before an alert opens.';
comment on column outrider.workspace_settings.alert_cooldown is 'How long an alert that lasts is not told again.';
comment on column outrider.workspace_settings.alert_on_installation is
  'Whether alerts about the installation itself (services, outbox, transactions, disk) are raised in this workspace.';
comment on column outrider.workspace_settings.snapshot_every is
  'How often a health snapshot goes to the alert targets; null: never.';

-- Signs of life: one row for each process that runs roles. A process removes its row when it stops; one that crashes
-- leaves it.
create table outrider.service_heartbeats (
  service_id uuid not null,
  host text not null,
  pid bigint not null,
  version text not null,
  roles text[] not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  ready boolean not null,
  facts jsonb not null default '{}',

  constraint service_heartbeats_pkey primary key (service_id),
  constraint a_service_has_roles check (cardinality(roles) > 0),
  constraint a_service_is_seen_after_it_started check (seen_at >= started_at),
  constraint service_facts_are_an_object check (jsonb_typeof(facts) = 'object')
)
with (fillfactor = 50);

comment on column outrider.service_heartbeats.facts is
  'what the process knows about its machine: store_refuses says in words why media cannot be kept';

-- Which process does what only one may do at a time.
create table outrider.run_guards (
  name text collate "C" not null,
  run_id uuid not null,
  lease_until timestamptz not null,

  constraint run_guards_pkey primary key (name),
  constraint run_name_is_short check (length(name) between 1 and 64)
);

create type outrider.alert_severity as enum ('info', 'warning', 'critical');
create type outrider.alert_target_kind as enum ('chat', 'webhook', 'email', 'log');
create type outrider.notification_status as enum ('queued', 'sent', 'failed');

-- Something that is wrong now (alert_conditions). `subject` is what it is about, such as a channel; null when a
-- workspace has only one alert of the kind. `news_at` is when it last became worse: an acknowledgement before that is void.
create type outrider.alert_condition as (
  kind text,
  subject text,
  severity outrider.alert_severity,
  summary text,
  detail jsonb,
  news_at timestamptz
);

-- Where alerts are told. told_at, reached_at and snapshot_at are written by the monitor, everything else is configuration.
create table outrider.alert_targets (
  workspace_id text collate "C" not null,
  alert_target_id text collate "C" not null,
  kind outrider.alert_target_kind not null,
  enabled boolean not null default true,
  min_severity outrider.alert_severity not null default 'warning',
  auth_ref text collate "C",
  target_id text collate "C",
  url text,
  secret_ref text,
  recipients text[],
  told_at timestamptz,
  reached_at timestamptz,
  snapshot_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint alert_targets_pkey primary key (workspace_id, alert_target_id),
  constraint alert_targets_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint alert_target_id_is_short check (length(alert_target_id) between 1 and 64),
  constraint a_chat_and_no_other_target_has_a_credential_and_a_target_id check (
    case when kind = 'chat'
      then length(auth_ref) between 1 and 128 and length(target_id) between 1 and 256
        and auth_ref is not null and target_id is not null
      else auth_ref is null and target_id is null
    end
  ),
  constraint a_webhook_and_no_other_target_has_a_url_and_a_secret
    check ((kind = 'webhook') = (url is not null) and (kind = 'webhook') = (secret_ref is not null)),
  constraint webhook_url_is_http_without_a_password check (url ~ '^https?://[^/?#@\s]+([/?#]\S*)?$' and length(url) <= 2000),
  constraint webhook_secret_ref_points_to_a_secret check (secret_ref ~ '^(env|file):.+$'),
  constraint an_email_and_no_other_target_has_recipients
    check ((kind = 'email') = (recipients is not null) and cardinality(recipients) between 1 and 50),
  constraint recipients_are_addresses check (array_to_string(recipients, ' ') ~ '^([^\s@<>,;"]+@[^\s@<>,;"]+( |$))+$')
);

comment on column outrider.alert_targets.min_severity is 'alerts below it are not told here';
comment on column outrider.alert_targets.told_at is 'when a message was last begun; the next one comes a minute later or more';
comment on column outrider.alert_targets.reached_at is 'when a message was last delivered';

-- What is or was wrong. An alert is open until its condition no longer holds. One that comes back within five minutes
-- is opened again; later it is another alert with the same fingerprint.
create table outrider.alerts (
  workspace_id text collate "C" not null,
  alert_id uuid not null,
  kind text collate "C" not null,
  fingerprint text collate "C" not null,
  subject text,
  severity outrider.alert_severity not null,
  summary text not null,
  detail jsonb not null default '{}',
  opened_at timestamptz not null,
  seen_at timestamptz not null,
  resolved_at timestamptz,
  told text,
  notified_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by text,
  acknowledged_because text,

  constraint alerts_pkey primary key (workspace_id, alert_id),
  constraint alerts_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint a_fingerprint_begins_with_its_kind check (fingerprint = kind or starts_with(fingerprint, kind || ':')),
  constraint an_alert_is_resolved_after_it_opened check (resolved_at >= opened_at),
  constraint what_was_told_is_dated check ((told is null) = (notified_at is null)),
  constraint alerts_are_told_when_they_open_repeat_or_resolve check (told in ('opened', 'repeated', 'resolved')),
  constraint an_acknowledgement_says_when_who_and_why check (
    (acknowledged_at is null) = (acknowledged_by is null) and (acknowledged_at is null) = (acknowledged_because is null)
  ),
  constraint alert_detail_is_an_object check (jsonb_typeof(detail) = 'object')
);

comment on column outrider.alerts.severity is 'the highest since it opened';
comment on column outrider.alerts.told is 'what people were last told about it; null: nothing yet';

-- One open alert for each fingerprint.
create unique index alerts_open_idx on outrider.alerts (workspace_id, fingerprint) where resolved_at is null;
-- What was resolved lately, and may come back.
create index alerts_resolved_idx on outrider.alerts (workspace_id, resolved_at) where resolved_at is not null;

-- What operators do not want to hear of for a while: a kind of alert, or one fingerprint.
create table outrider.alert_silences (
  workspace_id text collate "C" not null,
  matches text collate "C" not null,
  until timestamptz not null,
  operator text not null,
  reason text not null,
  created_at timestamptz not null,

  constraint alert_silences_pkey primary key (workspace_id, matches),
  constraint alert_silences_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint a_silence_ends_after_it_begins check (until > created_at)
);

comment on column outrider.alert_silences.matches is 'the kind or the fingerprint of the alerts that are silenced';

-- Messages to alert targets: changes of alerts, or a health snapshot.
create table outrider.alert_notifications (
  workspace_id text collate "C" not null,
  notification_id uuid not null,
  alert_target_id text collate "C" not null,
  status outrider.notification_status not null default 'queued',
  attempts integer not null default 0,
  next_try_at timestamptz not null,
  claim_token uuid,
  lease_until timestamptz,
  last_error text,
  ended_at timestamptz,
  created_at timestamptz not null,
  changes jsonb not null,
  subject text not null,
  body text not null,

  constraint alert_notifications_pkey primary key (workspace_id, notification_id),
  constraint a_notification_goes_to_a_target
    foreign key (workspace_id, alert_target_id) references outrider.alert_targets on delete cascade,
  constraint notification_attempts_count_from_zero check (attempts >= 0),
  constraint a_claimed_notification_has_a_lease check ((claim_token is null) = (lease_until is null)),
  constraint only_a_queued_notification_is_claimed check (claim_token is null or status = 'queued'),
  constraint an_ended_notification_is_dated_and_no_other_is check ((status = 'queued') = (ended_at is null)),
  constraint a_failed_notification_says_why check (status <> 'failed' or last_error is not null),
  constraint last_error_is_cut_short check (length(last_error) <= 1000),
  constraint notification_changes_are_a_list check (jsonb_typeof(changes) = 'array')
);

comment on column outrider.alert_notifications.changes is
  'the changes of alerts that it tells: [{alert_id, kind, subject, severity, change, summary}]; empty for a health snapshot';

-- What waits for a target, and what could not be delivered.
create index alert_notifications_not_sent_idx
  on outrider.alert_notifications (workspace_id, alert_target_id, created_at) where status <> 'sent';

do $$
declare
  v_table text;
begin
  foreach v_table in array array['alert_targets', 'alerts', 'alert_silences', 'alert_notifications'] loop
    execute format('alter table outrider.%I enable row level security', v_table);
    execute format('alter table outrider.%I force row level security', v_table);
    execute format(
      'create policy functions_act_for_the_workspace_they_checked on outrider.%I
         to outrider_owner using (true) with check (true)', v_table);
    execute format(
      'create policy services_see_every_workspace on outrider.%I
         for select to outrider_service using (true)', v_table);
    execute format(
      'create policy a_login_sees_its_workspaces on outrider.%I
         for select using (
           workspace_id in (
             select l.workspace_id from outrider.workspace_logins l where l.login = current_user))',
      v_table);
    execute format('grant select on outrider.%I to outrider_reader', v_table);
  end loop;
end;
$$;
