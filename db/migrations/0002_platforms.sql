-- What Outrider knows about the platforms: lengths, markup, media and pace, each in the platform's own units. A new
-- platform needs rows here and an adapter.

create table outrider.platforms (
  platform text collate "C" not null,
  title text not null,

  -- Texts
  text_max integer not null,
  caption_max integer,
  text_bytes_max integer,
  length_unit text not null default 'code_points',
  counts_markup boolean not null default false,
  drops text not null default '',
  dialects jsonb not null default '{}',

  -- Media and buttons
  media_max integer not null,
  groups_media boolean not null,
  takes_item_captions boolean not null default false,
  takes_buttons boolean not null default false,
  albums_take_buttons boolean not null default false,
  dotted_hosts_only boolean not null default false,

  -- Pace
  counts_album_items boolean not null default false,
  channel_rps numeric,
  group_rps numeric,

  constraint platforms_pkey primary key (platform),
  constraint platform_is_a_slug check (platform ~ '^[a-z][a-z0-9_]{0,31}$'),
  constraint platform_lengths_are_positive
    check (text_max > 0 and (caption_max is null or caption_max > 0) and media_max > 0),
  constraint platform_length_unit_is_known check (length_unit in ('code_points', 'utf16')),
  constraint platform_dialects_are_an_object check (jsonb_typeof(dialects) = 'object'),
  constraint platform_rates_are_not_negative
    check (coalesce(channel_rps, 0) >= 0 and coalesce(group_rps, 0) >= 0)
);

comment on column outrider.platforms.caption_max is 'null: the text of a media post may be as long as any text';
comment on column outrider.platforms.text_bytes_max is 'bytes of a text as sent; null: no limit of its own';
comment on column outrider.platforms.length_unit is 'what text_max and caption_max count';
comment on column outrider.platforms.counts_markup is 'lengths are those of the text as sent, not as read';
comment on column outrider.platforms.drops is 'characters that the platform takes out of a text before it counts it';
comment on column outrider.platforms.dialects is 'for each format (HTML, Markdown) the markup that the platform reads; a format that is missing is sent as plain text';
comment on column outrider.platforms.groups_media is 'several media go out as one post; otherwise as a series of parts';
comment on column outrider.platforms.dotted_hosts_only is 'a button leads to a host with a dot in its name, or to an IPv6 address';
comment on column outrider.platforms.counts_album_items is 'an album counts as one message for each of its media; otherwise as one in all';
comment on column outrider.platforms.channel_rps is 'the rate of a channel for which none is configured: messages a second, below the platform''s limit; null: no limit';
comment on column outrider.platforms.group_rps is 'the rate of a group for which none is configured: calls a second, below the platform''s limit; null: no limit';

-- The rates leave room below the platforms' own limits: what a platform allows in one second is spread over 1.2 s.
-- So the limits hold even when one call is a fifth of a second late and the next ones are not.
-- Telegram: 30 messages a second for a bot; an album of ten goes out at once, which leaves 21 for the rest. In a chat
-- about one a second, with bursts of three: an album goes out two slots after the message before it, and two slots last
-- longer than three seconds.
insert into outrider.platforms
  (platform, title, text_max, caption_max, text_bytes_max, length_unit, drops, dialects, media_max, groups_media,
   takes_item_captions, takes_buttons, dotted_hosts_only, counts_album_items, channel_rps, group_rps)
values (
  'telegram', 'Telegram', 4096, 1024, 32768, 'code_points',
  e'\r\u030a\u0333\u033f\u2028\u2029\u202a\u202b\u202c\u202d\u202e',
  '{"HTML": "telegram_html", "Markdown": "telegram_markdown"}', 10, true, true, true, true, true, 0.6, 17.5
);

-- MAX: 30 calls a second for a bot, 2 messages a second in a chat.
insert into outrider.platforms
  (platform, title, text_max, length_unit, counts_markup, dialects, media_max, groups_media, takes_buttons,
   albums_take_buttons, channel_rps, group_rps)
values (
  'max', 'MAX', 4000, 'utf16', true, '{"HTML": "max_html", "Markdown": "max_markdown"}', 10, true, true, true, 1.6, 25
);

-- VK: 3 calls a second with the token of a user; for a wall no limit is known.
insert into outrider.platforms (platform, title, text_max, length_unit, media_max, groups_media, channel_rps, group_rps)
values ('vk', 'VK', 15000, 'utf16', 10, true, 1, 2.5);

-- The media that a platform takes. Types of one album may go out in one post; a type without an album
-- goes out alone. `upload_required`: the file must be in the origin store; `url_allowed`: a link is enough.
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
  constraint media_upload_policy_is_known check (upload in ('upload_required', 'url_allowed')),
  -- With `url_allowed` a post with a link would pass the checks here, and the platform would refuse it for good.
  constraint max_takes_links_to_pictures_only
    check (platform <> 'max' or media_type in ('image', 'animation') or upload = 'upload_required'),
  constraint vk_takes_no_links check (platform <> 'vk' or upload = 'upload_required')
);

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

grant select on outrider.platforms, outrider.platform_media to outrider_reader;
