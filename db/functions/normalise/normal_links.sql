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
  v_urls text[];
  v_url text;
  v_links text[] := '{}'::text[];
begin
  if p_url is null and p_links is null then
    return null;
  end if;
  v_urls := array(select l.url from jsonb_array_elements_text(p_links) with ordinality as l (url, place) order by l.place);
  if p_url is not null then
    v_urls := p_url || v_urls;
  end if;
  foreach v_url in array v_urls loop
    v_url := outrider.canonical_url(v_url);
    if v_url <> all (v_links) then
      v_links := v_links || v_url;
    end if;
  end loop;
  return to_jsonb(nullif(v_links, '{}'));
end;
$$;
