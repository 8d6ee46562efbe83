-- The buttons of a post in their rows, with normal texts, canonical addresses, and payloads as they are.
--
-- Returns: null when there are none.
create or replace function outrider.normal_buttons(p_buttons jsonb)
  returns jsonb
  language plpgsql
  immutable
  strict
  parallel safe
as $$
begin
  return (
    select jsonb_agg(
      (
        select jsonb_agg(
          jsonb_build_object('text', outrider.normal_text(b.button ->> 'text'))
          || case when b.button ->> 'payload' is null
            then jsonb_build_object('url', outrider.canonical_url(b.button ->> 'url'))
            else jsonb_build_object('payload', b.button ->> 'payload')
          end
          order by b.place
        )
        from jsonb_array_elements(r.cells) with ordinality as b (button, place)
      )
      order by r.place
    )
    from jsonb_array_elements(p_buttons) with ordinality as r (cells, place)
  );
end;
$$;
