-- Checks the buttons of a post or of a rule of a bot: at most 10 rows of 1 to 3 buttons, each with a text, and with either an
-- address or a payload.
--
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.buttons_fault(p_buttons jsonb)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_row jsonb;
  v_button jsonb;
  v_path text;
  v_fault text := outrider.count_fault('buttons', p_buttons, 10);
begin
  if v_fault is not null then
    return v_fault;
  end if;
  -- Rows come first: once each is a list of 1 to 3, one query can go through the buttons of all rows.
  for v_row, v_path in
    select r.cells, format('buttons[%s]', r.place - 1)
    from jsonb_array_elements(p_buttons) with ordinality as r (cells, place)
    order by r.place
  loop
    if jsonb_typeof(v_row) <> 'array' then
      return format('%s must be an array, not %s', v_path, outrider.kind_of(v_row));
    elsif jsonb_array_length(v_row) not between 1 and 3 then
      return format('%s has %s buttons; a row has 1 to 3', v_path, jsonb_array_length(v_row));
    end if;
  end loop;
  for v_button, v_path in
    select b.button, format('buttons[%s][%s]', r.place - 1, b.place - 1)
    from jsonb_array_elements(p_buttons) with ordinality as r (cells, place)
    cross join lateral jsonb_array_elements(r.cells) with ordinality as b (button, place)
    order by r.place, b.place
  loop
    v_fault := coalesce(
      outrider.shape_fault(v_path, v_button, '{"text": "string", "url": "string", "payload": "string"}'),
      case
        when v_button ->> 'text' is null then format('%s has no text', v_path)
        when num_nonnulls(v_button ->> 'url', v_button ->> 'payload') = 0
          then format('%s has neither a url nor a payload', v_path)
        when num_nonnulls(v_button ->> 'url', v_button ->> 'payload') = 2
          then format('%s has a url and a payload; a button has one of them', v_path)
        when outrider.is_blank(v_button ->> 'text') then format('%s.text is empty', v_path)
        -- Telegram takes no more.
        when octet_length(v_button ->> 'payload') not between 1 and 64
          then format('%s.payload is %s bytes long; 1 to 64 are allowed', v_path, octet_length(v_button ->> 'payload'))
      end,
      outrider.length_fault(v_path || '.text', v_button ->> 'text', 1, 64),
      outrider.url_fault(v_path || '.url', v_button ->> 'url')
    );
    exit when v_fault is not null;
  end loop;
  return v_fault;
end;
$$;
