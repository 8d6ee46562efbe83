-- The values that a template may name, all of them plain text: the post's title, url (its first link),
-- links (one on each line), tags (`#lost #dog`) and fields. A value that the post leaves empty comes from the
-- channel's values; a value that is not there either comes from the template's defaults.
create or replace function outrider.post_values(
  p_payload jsonb,
  p_tags text[],
  p_defaults jsonb,
  p_channel_values jsonb
)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_own jsonb;
begin
  select coalesce(jsonb_object_agg(f.key, f.value), '{}') into v_own
  from jsonb_each_text(p_payload -> 'fields') as f
  where f.value <> '';
  v_own := v_own || jsonb_strip_nulls(jsonb_build_object(
    'title', nullif(p_payload ->> 'title', ''),
    'url', p_payload #>> '{links,0}',
    'links', (
      select string_agg(l.link, e'\n' order by l.place)
      from jsonb_array_elements_text(p_payload -> 'links') with ordinality as l (link, place)
    ),
    'tags', (
      select string_agg('#' || regexp_replace(t.tag, '\s', '_', 'g'), ' ' order by t.place)
      from unnest(p_tags) with ordinality as t (tag, place)
    )
  ));
  return (
    select coalesce(jsonb_object_agg(v.key, v.value), '{}')
    from jsonb_each_text(coalesce(p_defaults, '{}') || coalesce(p_channel_values, '{}') || v_own) as v
    where v.value is not null
  );
end;
$$;
