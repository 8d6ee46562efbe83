-- The tags by which a message is routed: the hints that came with the post, the types of its media, and
-- the hashtags of its title and text.
--
-- Returns: at most 200 tags of at most 512 bytes, in lower case, distinct, sorted by bytes. If there are more than 200,
-- hints are taken first, then media types, then hashtags in order of appearance.
create or replace function outrider.message_tags(p_payload jsonb, p_hints jsonb)
  returns text[]
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_tags text[] := outrider.hashtags(p_payload ->> 'title') || outrider.hashtags(p_payload ->> 'text');
begin
  if p_payload ? 'media' then
    v_tags := array(select m.item ->> 'type' from jsonb_array_elements(p_payload -> 'media') as m (item)) || v_tags;
  end if;
  if jsonb_typeof(p_hints) = 'array' then
    -- A hint is put on one line and in lower case, and is otherwise as normal_text writes it. A lower-case letter may
    -- compose with a mark where its capital does not, so it is composed again.
    v_tags := array(
      select outrider.composed_text(outrider.lower_case(outrider.normal_text(translate(h.hint, e'\n\r', '  '))))
      from jsonb_array_elements_text(p_hints) as h (hint)
    ) || v_tags;
  end if;
  if cardinality(v_tags) = 0 then
    return v_tags;
  end if;
  return array(
    select k.tag
    from (
      select t.tag
      from unnest(v_tags) with ordinality as t (tag, place)
      where octet_length(t.tag) between 1 and 512
      group by t.tag
      order by min(t.place)
      limit 200
    ) k
    order by k.tag collate "C"
  );
end;
$$;
