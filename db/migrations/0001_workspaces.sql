-- Tenants: who they are, how they are configured, which logins act for them, where posts come in.

alter default privileges for role outrider_owner revoke execute on functions from public;
grant usage on schema outrider to outrider_service, outrider_ingest, outrider_worker, outrider_reader;

create type outrider.workspace_status as enum ('active', 'paused', 'disabled');

create table outrider.workspaces (
  workspace_id text collate "C" not null,
  name text not null,
  status outrider.workspace_status not null default 'active',
  created_at timestamptz not null,

  constraint workspaces_pkey primary key (workspace_id),
  constraint workspace_id_is_a_short_slug check (workspace_id ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
  constraint workspace_has_a_name check (name <> '' and length(name) <= 200)
);

-- The settings of a workspace: one row for each, made together with it, with the documented defaults.
create table outrider.workspace_settings (
  workspace_id text collate "C" not null,

  -- Retry policy
  max_attempts integer not null default 5,
  give_up_after interval not null default '24 hours',
  backoff_base interval not null default '2 seconds',
  backoff_factor numeric not null default 2,
  backoff_cap interval not null default '10 minutes',
  backoff_jitter numeric not null default 0.2,
  not_ready_backoff_min interval not null default '1 second',
  not_ready_backoff_max interval not null default '5 seconds',

  -- Penalties
  pause_on_permanent_for interval not null default '1 hour',
  disable_after_permanent_streak integer not null default 3,
  group_cooldown interval not null default '30 seconds',
  outage_after_channels integer not null default 3,

  -- Claims and leases
  claim_per_channel integer not null default 50,
  sending_lease interval not null default '30 seconds',
  claimed_lease interval not null default '300 seconds',
  recovery_backoff interval not null default '10 seconds',

  -- Dedup
  keep_deduped_rows boolean not null default false,

  -- Alerts
  alert_failed_permanent_over integer not null default 10,
  alert_paused_channels_over integer not null default 0,

  -- Retention
  events_retention interval not null default '30 days',
  deliveries_retention interval not null default '90 days',
  ingress_receipts_retention interval not null default '2 days',
  payload_ref_retention interval not null default '14 days',
  origin_retention interval not null default '30 days',
  origin_retention_large_video interval not null default '7 days',
  large_video_bytes bigint not null default 104857600,

  constraint workspace_settings_pkey primary key (workspace_id),
  constraint workspace_settings_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces on delete cascade,
  constraint max_attempts_is_positive check (max_attempts between 1 and 100),
  constraint give_up_after_is_positive
    check (give_up_after > interval '0' and give_up_after <= interval '1000 years'),
  constraint backoff_grows_from_a_positive_base_to_its_cap
    check (backoff_base > interval '0' and backoff_cap >= backoff_base and backoff_factor between 1 and 10),
  constraint backoff_jitter_is_a_share check (backoff_jitter between 0 and 0.9),
  constraint not_ready_backoff_is_a_window
    check (not_ready_backoff_min > interval '0' and not_ready_backoff_max >= not_ready_backoff_min),
  constraint penalties_are_positive check (
    pause_on_permanent_for > interval '0'
    and disable_after_permanent_streak >= 1
    and group_cooldown > interval '0'
  ),
  constraint one_broken_channel_is_no_outage check (outage_after_channels between 2 and 1000),
  constraint claim_per_channel_is_positive check (claim_per_channel between 1 and 10000),
  constraint leases_are_positive check (
    sending_lease > interval '0' and claimed_lease > interval '0' and recovery_backoff >= interval '0'
  ),
  constraint alert_thresholds_are_not_negative
    check (alert_failed_permanent_over >= 0 and alert_paused_channels_over >= 0),
  constraint retention_is_positive check (
    events_retention > interval '0' and deliveries_retention > interval '0'
    and ingress_receipts_retention > interval '0' and payload_ref_retention > interval '0'
    and origin_retention > interval '0' and origin_retention_large_video > interval '0'
    and large_video_bytes > 0
  ),
  -- A claim could not calculate with longer durations, and the workspace would send nothing.
  constraint durations_are_within_a_thousand_years check (
    greatest(
      backoff_base, backoff_cap, not_ready_backoff_min, not_ready_backoff_max, pause_on_permanent_for, group_cooldown,
      sending_lease, claimed_lease, recovery_backoff, events_retention, deliveries_retention,
      ingress_receipts_retention, payload_ref_retention, origin_retention, origin_retention_large_video
    ) <= interval '1000 years'
  )
);

comment on column outrider.workspace_settings.give_up_after is
  'How long rate limits and a platform that is away may make a delivery wait; then it is dead.';
comment on column outrider.workspace_settings.outage_after_channels is
  'How many channels of a rate group in a row must find their platform ill before the group rests.';
comment on column outrider.workspace_settings.sending_lease is
  'How long a delivery stays with a sender that has died; a live one extends it every third of this.';

-- Which logins act for which workspaces. A login that is neither bound here nor a member of
-- outrider_service reaches nothing.
create table outrider.workspace_logins (
  workspace_id text collate "C" not null,
  login name not null,

  constraint workspace_logins_pkey primary key (login, workspace_id),
  constraint workspace_logins_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces on delete cascade
);

create type outrider.endpoint_kind as enum ('webhook_push', 'bot_webhook');

create table outrider.workspace_endpoints (
  workspace_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  kind outrider.endpoint_kind not null,
  secret_hash text collate "C" not null,
  signing_secret_ref text,
  enabled boolean not null default true,
  ingress_rps numeric not null default 5,
  max_payload_bytes integer not null default 262144,
  hash_drop_window_sec integer not null default 10,
  meta jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint workspace_endpoints_pkey primary key (workspace_id, endpoint_id),
  constraint endpoints_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces,
  constraint endpoint_id_is_short check (length(endpoint_id) between 1 and 64),
  constraint endpoint_secret_is_kept_as_a_sha256 check (secret_hash ~ '^[0-9a-f]{64}$'),
  constraint signing_secret_ref_points_to_a_secret check (signing_secret_ref ~ '^(env|file):.+$'),
  constraint endpoint_limits_are_positive
    check (ingress_rps > 0 and max_payload_bytes > 0 and hash_drop_window_sec >= 0),
  constraint endpoint_rate_is_at_least_one_in_eleven_days check (ingress_rps >= 0.000001),
  constraint endpoint_meta_is_an_object check (jsonb_typeof(meta) = 'object')
);

comment on column outrider.workspace_endpoints.signing_secret_ref is
  'Where the secret of Standard Webhooks signatures is read from, env:NAME or file:PATH; null: posts need no signature.';

-- Ingress look-up: a secret opens one enabled endpoint of a kind; disabled endpoints may have the same secret.
create unique index workspace_endpoints_by_secret_idx
  on outrider.workspace_endpoints (kind, secret_hash) where enabled;

-- The pace of an endpoint, in a narrow table of its own: every request moves the pace on, and an update of the endpoint
-- itself would check all of its constraints again.
create table outrider.endpoint_pace (
  workspace_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  next_allowed_at timestamptz,

  constraint endpoint_pace_pkey primary key (workspace_id, endpoint_id),
  constraint a_pace_belongs_to_an_endpoint
    foreign key (workspace_id, endpoint_id) references outrider.workspace_endpoints on delete cascade
)
with (fillfactor = 50);
