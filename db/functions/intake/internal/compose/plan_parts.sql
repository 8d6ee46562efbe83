-- The parts in which a post with media goes out, in order: `{"kind": "text"}` and `{"kind": "media", "media": [0, 1]}`.
-- `"caption": true` is on the media that carry the post's text, `"buttons": true` on the part that carries the buttons.
-- `"weight": 3` is on a part that the platform counts as three messages; a part without a weight counts as one.
--
-- The text goes with the first media. It goes ahead as a part of its own in three cases: it is too long for a caption;
-- it would displace captions of the media; or the buttons would otherwise have no place, because albums take none.
-- p_fits_caption: the text may be a caption. p_has_buttons: the post has buttons that are sent as such.
-- Returns: the parts, or a fault.
create or replace function outrider.plan_parts(
  p_media jsonb,
  p_platform outrider.platforms,
  p_has_text boolean,
  p_fits_caption boolean,
  p_has_buttons boolean,
  out parts jsonb,
  out fault text
)
  language plpgsql
  stable
  parallel safe
as $$
declare
  v_groups jsonb;
  v_own_captions integer := 0;
  v_text_ahead boolean;
  v_bearer integer;
begin
  v_groups := outrider.group_media(p_media, p_platform);
  v_text_ahead := p_has_text and not p_fits_caption;
  if p_has_text and p_fits_caption and p_platform.takes_item_captions then
    select count(*)::integer into v_own_captions
    from jsonb_array_elements(v_groups -> 0) as g (place)
    where p_media -> g.place::integer ->> 'caption' <> '';
    v_text_ahead := v_own_captions > 1 or coalesce(p_media -> 0 ->> 'caption', '') <> '';
  end if;
  if p_has_buttons and not v_text_ahead then
    select min(g.n)::integer into v_bearer
    from jsonb_array_elements(v_groups) with ordinality as g (places, n)
    where jsonb_array_length(g.places) = 1 or p_platform.albums_take_buttons;
    if v_bearer is null and not p_has_text then
      fault := format('the buttons have no place: %s albums take none, and the post has no text', p_platform.title);
      return;
    end if;
    v_text_ahead := v_bearer is null;
  end if;

  select jsonb_agg(
    jsonb_build_object('kind', 'media', 'media', g.places)
      || case when g.n = 1 and p_has_text and not v_text_ahead then '{"caption": true}' else '{}'::jsonb end
      || case when g.n = v_bearer then '{"buttons": true}' else '{}'::jsonb end
      || case when p_platform.counts_album_items and jsonb_array_length(g.places) > 1
        then jsonb_build_object('weight', jsonb_array_length(g.places)) else '{}' end
    order by g.n) into parts
  from jsonb_array_elements(v_groups) with ordinality as g (places, n);
  if v_text_ahead then
    parts := outrider.text_part(p_has_buttons) || parts;
  end if;
  if jsonb_array_length(parts) > 20 then
    fault := format('the post would go out in %s parts, and a delivery has at most 20', jsonb_array_length(parts));
  end if;
end;
$$;
