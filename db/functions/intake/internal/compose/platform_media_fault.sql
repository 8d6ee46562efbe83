-- Why a platform would refuse the media of a post: the type of an item, a link where the platform takes only uploads, a
-- blob that is not in the origin store, its size, or the length of the item's own caption, which is plain text.
--
-- p_media: an item with `is_copied` is a link that counts as stored, because it is copied before the post is taken in.
-- p_uploads: the channel's own upload policy by type (settings.media_upload), in place of the platform's.
-- Returns: the first fault in the order of the media, or null.
create or replace function outrider.platform_media_fault(
  p_workspace_id text,
  p_media jsonb,
  p_platform outrider.platforms,
  p_uploads jsonb
)
  returns text
  language plpgsql
  stable
  parallel safe
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  v_fault text;
begin
  select f.fault into v_fault
  from jsonb_array_elements(p_media) with ordinality as m (item, place)
  cross join lateral (
    select
      m.item ->> 'type' as media_type, m.item ->> 'blob_ref' as blob_ref, format('media[%s]', m.place - 1) as name,
      case when m.item ->> 'type' in ('video', 'audio') then m.item ->> 'type' else m.item ->> 'type' || 's' end as kind,
      outrider.text_length(outrider.kept_text(m.item ->> 'caption', null, p_platform.drops), p_platform.length_unit) as caption_length,
      coalesce(p_platform.caption_max, p_platform.text_max) as caption_max
  ) i
  left join outrider.platform_media t on t.platform = p_platform.platform and t.media_type = i.media_type
  left join outrider.media_origin o on o.workspace_id = p_workspace_id and o.blob_ref = i.blob_ref
  cross join lateral (
    select case
      when t.media_type is null then
        format('%s takes no %s (%s)', p_platform.title, i.kind, i.name)
      when i.blob_ref is null and not m.item ? 'is_copied'
        and (not t.takes_links or coalesce(p_uploads ->> outrider.upload_key(t.media_type), t.upload) = 'upload_required')
      then
        format('%s is only a link, and %s takes %s from the origin store only: hand it in as a blob_ref',
          i.name, p_platform.title, i.kind)
      when i.blob_ref is not null and o.blob_ref is null then
        format('%s names blob "%s", which is not in the origin store', i.name, i.blob_ref)
      when o.size_bytes > t.max_bytes then
        format('%s has %s bytes, %s takes %s (%s MiB) for %s', i.name, to_char(o.size_bytes, 'FM999,999,999,999,999'),
          p_platform.title, to_char(t.max_bytes, 'FM999,999,999,999,999'), t.max_bytes / 1048576, i.kind)
      when p_platform.takes_item_captions and i.caption_length > i.caption_max then
        format('the caption of %s has %s characters, %s takes %s', i.name, to_char(i.caption_length, 'FM999,999,999'),
          p_platform.title, to_char(i.caption_max, 'FM999,999,999'))
    end as fault
  ) f
  where f.fault is not null
  order by m.place
  limit 1;
  return v_fault;
end;
$$;
