-- Where posts go: platforms, channels, their credentials and the pace that each allows.

-- A new platform is a row here and an adapter. The limits are the provider's own, in its own units.
create table outrider.platforms (
  platform text collate "C" not null,
  title text not null,
  text_max integer not null,
  caption_max integer,
  media_max integer not null,
  groups_media boolean not null,
  formats text[] not null,
  repeats_safely boolean not null,
  reads_back boolean not null,
  channel_rps numeric,
  group_rps numeric,

  constraint platforms_pkey primary key (platform),
  constraint platform_is_a_slug check (platform ~ '^[a-z][a-z0-9_]{0,31}$'),
  constraint platform_lengths_are_positive
    check (text_max > 0 and (caption_max is null or caption_max > 0) and media_max > 0),
  constraint platform_rates_are_not_negative
    check (coalesce(channel_rps, 0) >= 0 and coalesce(group_rps, 0) >= 0)
);

comment on column outrider.platforms.caption_max is 'null: the text of a media post may be as long as any text';
comment on column outrider.platforms.groups_media is 'several media go out as one post; otherwise as a series of parts';
comment on column outrider.platforms.repeats_safely is 'a send repeated with the same key yields one post';
comment on column outrider.platforms.reads_back is 'the chat can be read to see whether an unanswered send arrived';

insert into outrider.platforms
  (platform, title, text_max, caption_max, media_max, groups_media, formats, repeats_safely, reads_back, channel_rps, group_rps)
values
  ('telegram', 'Telegram', 4096, 1024, 10, true, '{HTML,Markdown}', false, false, 1, 30),
  ('max', 'MAX', 4000, null, 10, true, '{HTML,Markdown}', false, true, 2, 30),
  ('vk', 'VK', 15000, null, 10, true, '{}', true, true, 1, 3);

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
  constraint template_versions_count_from_one check (version >= 1),
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
  constraint secret_ref_points_to_a_secret check (secret_ref ~ '^(env|file):.+$')
);

create type outrider.send_mode as enum ('text', 'media', 'mixed');
create type outrider.window_mode as enum ('immediate', 'windowed');

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
  rate_rps numeric default 1,
  max_parallel integer not null default 1,
  next_allowed_at timestamptz,
  paused_until timestamptz,
  cooldown_until timestamptz,
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

  constraint channels_pkey primary key (workspace_id, channel_id),
  constraint channels_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint channel_is_on_a_known_platform foreign key (platform) references outrider.platforms,
  constraint one_channel_for_each_destination unique (workspace_id, platform, target_id),
  constraint channel_names_are_short check (
    length(channel_id) between 1 and 128 and length(target_id) between 1 and 256
    and length(auth_ref) between 1 and 128 and length(rate_group) between 1 and 128
  ),
  constraint rate_rps_is_not_negative check (rate_rps >= 0),
  constraint max_parallel_is_positive check (max_parallel between 1 and 10000),
  constraint dedup_ttl_is_not_negative check (dedup_ttl_hours >= 0),
  constraint error_streak_is_not_negative check (error_streak >= 0),
  constraint channel_settings_are_an_object check (jsonb_typeof(settings) = 'object'),
  constraint route_filter_is_an_object check (jsonb_typeof(route_filter) = 'object'),
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

comment on column outrider.channels.cooldown_until is 'the provider asked this channel to wait: nothing is sent before';
comment on column outrider.channels.closed_until is 'next opening of the posting window, noted by the claim that found it closed';

create index channels_enabled_idx on outrider.channels (workspace_id, enabled);
create index channels_tags_idx on outrider.channels using gin (tags);

create table outrider.channel_auth (
  workspace_id text collate "C" not null,
  channel_id text collate "C" not null,
  auth_ref text collate "C" not null,
  rotated_at timestamptz not null,
  updated_at timestamptz not null,

  constraint channel_auth_pkey primary key (workspace_id, channel_id),
  constraint channel_auth_belongs_to_a_channel
    foreign key (workspace_id, channel_id) references outrider.channels on delete cascade
);

-- The shared ceiling of a credential or group. cooldown_until stops the group; next_allowed_at is
-- its next free slot and never lies before the end of a cooldown.
create table outrider.platform_limits (
  workspace_id text collate "C" not null,
  platform text collate "C" not null,
  rate_group text collate "C" not null,
  rate_rps numeric,
  next_allowed_at timestamptz,
  cooldown_until timestamptz,
  updated_at timestamptz not null,

  constraint platform_limits_pkey primary key (workspace_id, platform, rate_group),
  constraint platform_limits_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces,
  constraint platform_limit_is_for_a_known_platform
    foreign key (platform) references outrider.platforms,
  constraint group_rate_is_not_negative check (rate_rps >= 0)
)
with (fillfactor = 50);
