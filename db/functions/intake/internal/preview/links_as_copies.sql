-- A payload whose media links are marked as copied (platform_media_fault): as the post will be judged when its media are
-- in the origin store.
create or replace function outrider.links_as_copies(p_payload jsonb)
  returns jsonb
  language sql
  stable
  parallel safe
return case when p_payload ? 'media' then p_payload || jsonb_build_object('media', (
    select jsonb_agg(m.item || case when m.item ? 'url' then jsonb '{"is_copied": true}' else '{}' end order by m.place)
    from jsonb_array_elements(p_payload -> 'media') with ordinality as m (item, place)
  )) else p_payload end;
