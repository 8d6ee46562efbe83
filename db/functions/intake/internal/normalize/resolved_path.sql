-- The path of an address without dot segments (RFC 3986, 5.2.4). The path begins with a slash.
create or replace function outrider.resolved_path(p_path text)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_segment text;
  v_kept text[] := '{}'::text[];
  v_count integer := 0;
begin
  if p_path !~ '/\.\.?(/|$)' then
    return p_path;
  end if;
  foreach v_segment in array string_to_array(substr(p_path, 2), '/') loop
    if v_segment = '..' then
      v_count := greatest(v_count - 1, 0);
    elsif v_segment <> '.' then
      v_count := v_count + 1;
      v_kept[v_count] := v_segment;
    end if;
  end loop;
  -- A dot segment at the end stands for a folder.
  return coalesce('/' || array_to_string(nullif(v_kept[:v_count], '{}'), '/'), '')
    || case when v_segment in ('.', '..') then '/' else '' end;
end;
$$;
