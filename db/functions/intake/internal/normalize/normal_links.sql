-- The links of a post in their canonical spelling: its url first, then the others as they came, none twice.
--
-- Returns: null when there are none.
create or replace function outrider.normal_links(p_url text, p_links jsonb)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_url text;
  v_links text[] := '{}'::text[];
begin
  if p_url is null and p_links is null then
    return null;
  end if;
  for v_place in case when p_url is null then 0 else -1 end .. coalesce(jsonb_array_length(p_links), 0) - 1 loop
    v_url := outrider.canonical_url(case when v_place < 0 then p_url else p_links ->> v_place end);
    if v_url <> all (v_links) then
      v_links := v_links || v_url;
    end if;
  end loop;
  return to_jsonb(nullif(v_links, '{}'));
end;
$$;
