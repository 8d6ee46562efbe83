-- The upload policy may be switched to `url_allowed` only where the platform takes links. Elsewhere a post would pass
-- its checks and then be refused for good.
alter table outrider.platform_media
  add constraint max_takes_links_to_pictures_only
    check (platform <> 'max' or media_type in ('image', 'animation') or upload = 'upload_required'),
  add constraint vk_takes_no_links check (platform <> 'vk' or upload = 'upload_required');
