-- The beginning of a text in HTML that shows p_length characters, then an ellipsis, then the end tags of what is open.
--
-- p_is_max: a < that begins no tag is text, as MAX reads it.
-- Returns: link_at instead of the head, when the cut would be within a link: how many characters are shown before it.
create or replace function outrider.html_head(
  p_text text,
  p_is_max boolean,
  p_length integer,
  out head text,
  out link_at integer
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  c_token constant text :=
    '<(?:[^>"'']|"[^"]*"|''[^'']*'')*>|&(?:#[xX]?[0-9A-Fa-f]+|[A-Za-z]+);?|[^<&]+|[<&]';
  v_token text;
  v_words text;
  v_end integer := 0; -- the characters of the text up to here
  v_shown integer := 0; -- how many of them are shown
  v_open text[] := '{}'::text[];
  v_places integer[] := '{}'::integer[];
  v_name text;
begin
  for v_token in select m.found[1] from regexp_matches(p_text, c_token, 'g') as m (found) loop
    if v_token ~ '^<.' and (not p_is_max or v_token ~ '^</?[A-Za-z!?]') then
      if starts_with(v_token, '</') then
        v_open := v_open[: cardinality(v_open) - 1];
      else
        exit when v_shown = p_length;
        v_name := substring(v_token from '^<([A-Za-z][^ \t\r\n\v/>]*)');
        if v_name is not null then
          v_open := v_open || v_name;
          v_places[cardinality(v_open)] := v_shown;
        end if;
      end if;
      v_end := v_end + length(v_token);
      continue;
    end if;
    exit when v_shown = p_length;
    v_words := case when starts_with(v_token, '&') then (outrider.decode_entities(array[v_token], p_is_max))[1] else v_token end;
    if v_shown + length(v_words) > p_length then
      v_end := v_end + p_length - v_shown;
      v_shown := p_length;
      exit;
    end if;
    v_end := v_end + length(v_token);
    v_shown := v_shown + length(v_words);
  end loop;

  link_at := v_places[array_position(v_open, 'a')];
  if link_at is null then
    head := left(p_text, v_end) || '…' || coalesce((
      select string_agg('</' || o.name || '>', '' order by o.n desc) from unnest(v_open) with ordinality as o (name, n)), '');
  end if;
end;
$$;
