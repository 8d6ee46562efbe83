-- What intake needs to judge a post: the units and dialects of each platform, the media that it takes,
-- and shapes that configuration must have.

alter table outrider.platforms
  drop column formats,
  add column dialects jsonb not null default '{}',
  add column length_unit text not null default 'code_points',
  add column counts_markup boolean not null default false,
  add column text_bytes_max integer,
  add column takes_buttons boolean not null default false,
  add column albums_take_buttons boolean not null default false,
  add column takes_item_captions boolean not null default false,
  add constraint platform_dialects_are_an_object check (jsonb_typeof(dialects) = 'object'),
  add constraint platform_length_unit_is_known check (length_unit in ('code_points', 'utf16'));

comment on column outrider.platforms.dialects is 'for each format (HTML, Markdown) the markup that the platform reads; a format that is missing is sent as plain text';
comment on column outrider.platforms.length_unit is 'what text_max and caption_max count';
comment on column outrider.platforms.counts_markup is 'lengths are those of the text as sent, not as read';
comment on column outrider.platforms.text_bytes_max is 'bytes of a text as sent; null: no limit of its own';

update outrider.platforms set
  dialects = '{"HTML": "telegram_html", "Markdown": "telegram_markdown"}',
  text_bytes_max = 32768, takes_buttons = true, takes_item_captions = true
where platform = 'telegram';
update outrider.platforms set
  dialects = '{"HTML": "max_html", "Markdown": "max_markdown"}',
  length_unit = 'utf16', counts_markup = true, takes_buttons = true, albums_take_buttons = true
where platform = 'max';
update outrider.platforms set length_unit = 'utf16' where platform = 'vk';

-- The media that a platform takes. Types of one album may stand in one post; a type without an album
-- stands alone. `upload_required`: only what is in the origin store; `url_allowed`: a link will do.
create table outrider.platform_media (
  platform text collate "C" not null,
  media_type text collate "C" not null,
  album text collate "C",
  max_bytes bigint not null,
  upload text not null,

  constraint platform_media_pkey primary key (platform, media_type),
  constraint media_is_taken_by_a_known_platform foreign key (platform) references outrider.platforms,
  constraint media_type_is_known check (media_type in ('image', 'video', 'audio', 'file', 'animation')),
  constraint media_max_bytes_is_positive check (max_bytes > 0),
  constraint media_upload_policy_is_known check (upload in ('upload_required', 'url_allowed'))
);

grant select on outrider.platform_media to outrider_reader;

insert into outrider.platform_media (platform, media_type, album, max_bytes, upload)
values
  ('telegram', 'image', 'visual', 10 * 1024 * 1024, 'url_allowed'),
  ('telegram', 'video', 'visual', 50 * 1024 * 1024, 'url_allowed'),
  ('telegram', 'audio', 'audio', 50 * 1024 * 1024, 'url_allowed'),
  ('telegram', 'file', 'file', 50 * 1024 * 1024, 'url_allowed'),
  ('telegram', 'animation', null, 50 * 1024 * 1024, 'url_allowed'),
  ('max', 'image', 'visual', 50 * 1024 * 1024, 'upload_required'),
  ('max', 'animation', 'visual', 50 * 1024 * 1024, 'upload_required'),
  ('max', 'video', 'visual', 250 * 1024 * 1024, 'upload_required'),
  ('max', 'audio', null, 256 * 1024 * 1024, 'upload_required'),
  ('max', 'file', null, 4096::bigint * 1024 * 1024, 'upload_required'),
  ('vk', 'image', 'visual', 50 * 1024 * 1024, 'upload_required'),
  ('vk', 'animation', 'visual', 50 * 1024 * 1024, 'upload_required');

-- The pace of an endpoint, kept like that of a channel.
alter table outrider.workspace_endpoints add column next_allowed_at timestamptz;
alter table outrider.workspace_endpoints set (fillfactor = 50);

-- The key of channels as those of messages and deliveries: its own id first, and created last, so that the
-- foreign-key check of every new delivery looks one channel up and never walks a workspace.
alter table outrider.channel_auth drop constraint channel_auth_belongs_to_a_channel;
alter table outrider.deliveries drop constraint a_delivery_goes_to_a_channel;
alter table outrider.channels drop constraint channels_pkey;
drop index outrider.channels_enabled_idx; -- the channels of a workspace are listed by their destinations
alter table outrider.channels add constraint channels_pkey primary key (channel_id, workspace_id);
alter table outrider.channel_auth add constraint channel_auth_belongs_to_a_channel
  foreign key (workspace_id, channel_id) references outrider.channels (workspace_id, channel_id) on delete cascade;
alter table outrider.deliveries add constraint a_delivery_goes_to_a_channel
  foreign key (workspace_id, channel_id) references outrider.channels (workspace_id, channel_id);

alter table outrider.channels
  drop constraint route_filter_is_an_object,
  add constraint route_filter_holds_lists_of_lower_case_tags check (
    jsonb_typeof(route_filter) = 'object'
    and not jsonb_path_exists(route_filter, '$.keyvalue() ? (!(@.key like_regex "^(include_any|include_all|exclude)$"))')
    and not jsonb_path_exists(route_filter, 'strict $.* ? (@.type() != "array")')
    and not jsonb_path_exists(route_filter, 'strict $.*[*] ? (@.type() != "string")')
    and route_filter::text = lower(route_filter::text)
  ),
  add constraint channel_format_is_known
    check (coalesce(settings ->> 'parse_mode', 'None') in ('HTML', 'Markdown', 'None')),
  add constraint channel_policy_on_format_errors_is_known
    check (coalesce(settings ->> 'on_format_error', 'fail') in ('fail', 'plain')),
  add constraint channel_values_are_an_object
    check (jsonb_typeof(coalesce(settings -> 'values', '{}')) = 'object'),
  add constraint template_ref_is_an_id_or_an_id_with_a_version
    check (template_ref ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}(@[1-9][0-9]{0,8})?$');

alter table outrider.templates
  add constraint template_id_is_a_short_slug check (template_id ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
  add constraint template_body_is_short check (length(body) between 1 and 16384);

-- A post as one kind of channel gets it, or why such channels do not.
create type outrider.composed_post as (
  rendered_text text,
  render_meta jsonb,
  template_version text,
  fault text
);
