-- How files are found by their addresses, when they are collected, and which links a channel may leave to its platform.

-- By hash, because an address in a store of a tenant's own may be longer than a tree takes.
create index media_origin_by_address_idx on outrider.media_origin using hash (origin_url);
create index raw_payloads_by_object_idx on outrider.raw_payloads using hash (object_url);

comment on column outrider.workspace_settings.origin_retention is
  'How long a file is kept that no message names any more, counted from when it was last seen.';
comment on column outrider.workspace_settings.origin_retention_large_video is 'The same for large videos.';
comment on column outrider.workspace_settings.large_video_bytes is 'From this size on a video is large.';

-- What the adapter can do; `upload` says what is wanted where a channel says nothing.
alter table outrider.platform_media add column takes_links boolean not null default false;
comment on column outrider.platform_media.takes_links is 'whether the platform fetches such media by a link';

update outrider.platform_media
set takes_links = true
where upload = 'url_allowed' or (platform = 'max' and media_type in ('image', 'animation'));

-- One rule for all platforms in place of one for each.
alter table outrider.platform_media
  drop constraint max_takes_links_to_pictures_only,
  drop constraint vk_takes_no_links,
  add constraint links_are_allowed_only_where_they_are_taken check (takes_links or upload = 'upload_required');

alter table outrider.channels
  add constraint media_upload_maps_types_of_media_to_policies check (
    jsonb_typeof(coalesce(settings -> 'media_upload', '{}')) = 'object'
    and not jsonb_path_exists(
      settings, '$.media_upload.keyvalue() ? (!(@.key like_regex "^(image|video|audio|file|other)$"))', '{}', true)
    and not jsonb_path_exists(settings, 'strict $.media_upload.* ? (@.type() != "string")', '{}', true)
    and not jsonb_path_exists(
      settings, 'strict $.media_upload.* ? (!(@ like_regex "^(upload_required|url_allowed)$"))', '{}', true)
  );
