-- Where posts go: channels, their templates and credentials, and the pace that each allows.

-- Message templates; a channel names one, a delivery keeps the version that it was rendered with.
create table outrider.templates (
  workspace_id text collate "C" not null,
  template_id text collate "C" not null,
  version integer not null,
  body text not null,
  defaults jsonb not null default '{}',
  created_at timestamptz not null,

  constraint templates_pkey primary key (workspace_id, template_id, version),
  constraint templates_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint template_id_is_a_short_slug check (template_id ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
  constraint template_versions_count_from_one check (version >= 1),
  constraint template_body_is_short check (length(body) between 1 and 16384),
  constraint template_defaults_are_an_object check (jsonb_typeof(defaults) = 'object')
);

-- A logical credential and where its secret is kept; the secret itself is never in the database.
create table outrider.credential_bindings (
  workspace_id text collate "C" not null,
  auth_ref text collate "C" not null,
  platform text collate "C" not null,
  secret_ref text not null,
  rotated_at timestamptz,
  updated_at timestamptz not null,

  constraint credential_bindings_pkey primary key (workspace_id, auth_ref),
  constraint credential_bindings_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces,
  constraint credential_is_for_a_known_platform foreign key (platform) references outrider.platforms,
  constraint auth_ref_is_short check (length(auth_ref) between 1 and 128),
  constraint secret_ref_points_to_a_secret check (secret_ref ~ '^(env|file):.+$')
);

create type outrider.send_mode as enum ('text', 'media', 'mixed');
create type outrider.window_mode as enum ('immediate', 'windowed');

-- A channel that is added by hand without a rate gets that of the slowest platform.
create table outrider.channels (
  workspace_id text collate "C" not null,
  channel_id text collate "C" not null,
  platform text collate "C" not null,
  target_id text collate "C" not null,
  auth_ref text collate "C" not null,
  rate_group text collate "C" not null,
  enabled boolean not null default true,
  title text,
  send_mode outrider.send_mode not null default 'mixed',
  rate_rps numeric default 0.6,
  max_parallel integer not null default 1,
  paused_until timestamptz,
  cooldown_until timestamptz,
  stopped_because jsonb,
  timezone text,
  window_mode outrider.window_mode not null default 'immediate',
  posting_window jsonb,
  closed_until timestamptz,
  dedup_ttl_hours integer default 168,
  error_streak integer not null default 0,
  settings jsonb not null default '{}',
  tags text[] not null default '{}',
  route_filter jsonb,
  template_ref text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint channels_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint channel_is_on_a_known_platform foreign key (platform) references outrider.platforms,
  constraint one_channel_for_each_destination unique (workspace_id, platform, target_id),
  constraint channel_names_are_short check (
    length(channel_id) between 1 and 128 and length(target_id) between 1 and 256
    and length(auth_ref) between 1 and 128 and length(rate_group) between 1 and 128
  ),
  constraint rate_rps_is_not_negative check (rate_rps >= 0),
  constraint rate_rps_is_at_least_one_in_eleven_days check (rate_rps = 0 or rate_rps >= 0.000001),
  constraint max_parallel_is_positive check (max_parallel between 1 and 10000),
  constraint dedup_ttl_is_not_negative check (dedup_ttl_hours >= 0),
  constraint dedup_ttl_is_within_a_thousand_years check (dedup_ttl_hours <= 8766000),
  constraint error_streak_is_not_negative check (error_streak >= 0),
  constraint a_stopped_channel_says_who_or_what check (stopped_because ? 'operator' or stopped_because ? 'code'),
  constraint channel_settings_are_an_object check (jsonb_typeof(settings) = 'object'),
  constraint channel_format_is_known
    check (coalesce(settings ->> 'parse_mode', 'None') in ('HTML', 'Markdown', 'None')),
  constraint channel_policy_on_format_errors_is_known
    check (coalesce(settings ->> 'on_format_error', 'fail') in ('fail', 'plain')),
  constraint channel_values_are_an_object
    check (jsonb_typeof(coalesce(settings -> 'values', '{}')) = 'object'),
  constraint template_ref_is_an_id_or_an_id_with_a_version
    check (template_ref ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}(@[1-9][0-9]{0,8})?$'),
  constraint route_filter_holds_lists_of_lower_case_tags check (
    jsonb_typeof(route_filter) = 'object'
    and not jsonb_path_exists(route_filter, '$.keyvalue() ? (!(@.key like_regex "^(include_any|include_all|exclude)$"))')
    and not jsonb_path_exists(route_filter, 'strict $.* ? (@.type() != "array")')
    and not jsonb_path_exists(route_filter, 'strict $.*[*] ? (@.type() != "string")')
    and route_filter::text = lower(route_filter::text)
  ),
  constraint a_windowed_channel_has_its_windows_and_zone
    check (window_mode = 'immediate' or (posting_window is not null and timezone is not null)),
  constraint posting_window_maps_weekdays_to_spans_of_time check (
    jsonb_typeof(posting_window) = 'object'
    and not jsonb_path_exists(posting_window, '$.keyvalue() ? (!(@.key like_regex "^(mon|tue|wed|thu|fri|sat|sun)$"))')
    and not jsonb_path_exists(posting_window, 'strict $.* ? (@.type() != "array")')
    and not jsonb_path_exists(posting_window, 'strict $.*[*] ? (@.type() != "array" || @.size() != 2)')
    and not jsonb_path_exists(posting_window, 'strict $.*[*][*] ? (@.type() != "string")')
    and not jsonb_path_exists(
      posting_window, 'strict $.*[*][*] ? (!(@ like_regex "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"))')
  ),
  constraint channel_tags_are_lower_case check (tags::text = lower(tags::text))
)
with (fillfactor = 50);

comment on column outrider.channels.cooldown_until is 'the platform asked this channel to wait: nothing is sent before';
comment on column outrider.channels.stopped_because is
  'why it is paused or disabled: {operator, reason}, or {code, message} of the platform''s refusal';
comment on column outrider.channels.closed_until is 'the next opening of the posting window; written by the claim that found it closed';

create index channels_tags_idx on outrider.channels using gin (tags);
-- Created last: the planner takes the newest of several indexes that look equally good, as all do on an empty table.
-- channel_id comes first, so that the foreign-key check of every new delivery looks up one channel and never scans a
-- workspace.
alter table outrider.channels add constraint channels_pkey primary key (channel_id, workspace_id);

create table outrider.channel_auth (
  workspace_id text collate "C" not null,
  channel_id text collate "C" not null,
  auth_ref text collate "C" not null,
  rotated_at timestamptz not null,
  updated_at timestamptz not null,

  constraint channel_auth_pkey primary key (workspace_id, channel_id),
  constraint channel_auth_belongs_to_a_channel
    foreign key (workspace_id, channel_id) references outrider.channels (workspace_id, channel_id) on delete cascade
);

-- The slots of a channel, in a narrow table like the pace of an endpoint. They are written under the lock of the
-- channel's own row.
create table outrider.channel_pace (
  workspace_id text collate "C" not null,
  channel_id text collate "C" not null,
  next_allowed_at timestamptz,
  quiet_until timestamptz,

  constraint channel_pace_pkey primary key (workspace_id, channel_id),
  constraint a_pace_belongs_to_a_channel
    foreign key (workspace_id, channel_id) references outrider.channels (workspace_id, channel_id) on delete cascade
)
with (fillfactor = 50);

comment on column outrider.channel_pace.next_allowed_at is 'end of the last slots that are given out or promised';
comment on column outrider.channel_pace.quiet_until is 'end of the last slots that are certain';

-- The limit that the channels of a rate group share. cooldown_until stops the group; next_allowed_at is
-- its next free slot and never lies before the end of a cooldown. The other columns that stop a group (an outage of its
-- platform, a credential that is refused) are in no index, and on the usual path nothing writes them.
create table outrider.platform_limits (
  workspace_id text collate "C" not null,
  platform text collate "C" not null,
  rate_group text collate "C" not null,
  rate_rps numeric,
  next_allowed_at timestamptz,
  cooldown_until timestamptz,
  updated_at timestamptz not null,
  last_error jsonb,
  opened_at timestamptz,
  outage_channels text[] collate "C",
  outage_since timestamptz,
  resting_until timestamptz,
  closed_at timestamptz,
  closed_auth_ref text collate "C",

  constraint platform_limits_pkey primary key (workspace_id, platform, rate_group),
  constraint platform_limits_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces,
  constraint platform_limit_is_for_a_known_platform
    foreign key (platform) references outrider.platforms,
  constraint rate_group_is_short check (length(rate_group) between 1 and 128),
  constraint group_rate_is_not_negative check (rate_rps >= 0),
  constraint group_rate_is_at_least_one_in_eleven_days check (rate_rps = 0 or rate_rps >= 0.000001),
  constraint a_streak_names_its_channels check (cardinality(outage_channels) > 0),
  constraint an_outage_has_its_channels_and_its_rest check (
    (outage_since is null) = (resting_until is null)
    and (outage_since is null or outage_channels is not null)
  ),
  constraint a_closed_group_names_the_credential_that_closed_it
    check ((closed_at is null) = (closed_auth_ref is null))
)
with (fillfactor = 50);

comment on column outrider.platform_limits.last_error is 'what stopped the group last';
comment on column outrider.platform_limits.opened_at is
  'when the group was last opened again; a send that began before says nothing about its state since';
comment on column outrider.platform_limits.outage_channels is
  'the channels that found the platform ill, one after the other and without a success between; the latest last';
comment on column outrider.platform_limits.outage_since is 'since when enough channels have found it ill that the group rests, or is probed';
comment on column outrider.platform_limits.closed_at is
  'since when nothing is sent because the platform refused a credential; a person opens it again';
