-- Checks the outer shape of a batch: an array of 1 to 10000 objects, and its time.
--
-- Raises: OR001.
create or replace function outrider.require_batch(p_function text, p_name text, p_items jsonb, p_now timestamptz)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_items is null or jsonb_typeof(p_items) <> 'array' then
    raise exception using errcode = 'OR001',
      message = format('%s: %s must be an array of objects, not %s', p_function, p_name, coalesce(jsonb_typeof(p_items), 'nothing'));
  end if;
  if jsonb_array_length(p_items) not between 1 and 10000 then
    raise exception using errcode = 'OR001',
      message = format('%s: %s has %s entries; 1 to 10000 are allowed', p_function, p_name, jsonb_array_length(p_items));
  end if;
  if jsonb_path_exists(p_items, 'strict $[*] ? (@.type() != "object")') then
    raise exception using errcode = 'OR001', message = format('%s: an entry of %s is not an object', p_function, p_name);
  end if;
  perform outrider.require_time(p_function, p_now);
end;
$$;
