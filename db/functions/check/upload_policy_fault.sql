-- The fault of a channel's settings.media_upload: links are allowed for a type that its platform takes as an upload only.
-- Null when there is none.
create or replace function outrider.upload_policy_fault(p_platform text, p_settings jsonb)
  returns text
  language sql
  stable
as $$
  select format('settings.media_upload.%s must be upload_required: %s fetches no such media by a link', u.key, p.title)
  from outrider.platforms p
  cross join lateral jsonb_each_text(
    case when jsonb_typeof(p_settings -> 'media_upload') = 'object' then p_settings -> 'media_upload' else '{}' end
  ) as u (key, policy)
  where p.platform = p_platform and u.policy = 'url_allowed'
    and not exists (
      select from outrider.platform_media m
      where m.platform = p_platform and m.takes_links and outrider.upload_key(m.media_type) = u.key)
  order by u.key
  limit 1;
$$;
