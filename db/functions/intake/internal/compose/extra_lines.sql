-- The parts of a post that the platform has no place for, as lines of text: the captions of single media, one
-- on each line, and buttons as `words: url`. Null when there are none.
create or replace function outrider.extra_lines(p_payload jsonb, p_platform outrider.platforms, p_dialect text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  return nullif(concat_ws(
    e'\n\n',
    (
      select string_agg(outrider.escape_markup(m.item ->> 'caption', p_dialect), e'\n' order by m.place)
      from jsonb_array_elements(p_payload -> 'media') with ordinality as m (item, place)
      where not p_platform.takes_item_captions and m.item ->> 'caption' <> ''
    ),
    (
      select string_agg(
        outrider.escape_markup(format('%s: %s', b.button ->> 'text', b.button ->> 'url'), p_dialect), e'\n'
        order by r.place, b.place)
      from jsonb_array_elements(p_payload -> 'buttons') with ordinality as r (buttons, place)
      cross join lateral jsonb_array_elements(r.buttons) with ordinality as b (button, place)
      where not p_platform.takes_buttons
    )
  ), '');
end;
$$;
