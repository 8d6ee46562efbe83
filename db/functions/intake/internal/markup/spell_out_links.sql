-- Writes a text for a platform without links: puts the address of each link, in parentheses, behind its words. p_begins
-- and p_ends are the places of the words, in bytes; the links come in the order in which they end.
--
-- An address is left out if the words say it already, with or without its scheme and a slash at the end, or if it leads
-- into an app (tg:, max:) and not to a page.
create or replace function outrider.spell_out_links(
  p_text text,
  p_urls text[],
  p_begins integer[],
  p_ends integer[]
)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_bytes constant bytea := convert_to(p_text, 'UTF8');
  v_pieces text[] := '{}'::text[];
  v_done integer := 0;
  v_words text;
begin
  for i in 1 .. cardinality(p_urls) loop
    continue when p_begins[i] = p_ends[i]; -- a link without words is not shown
    v_pieces := v_pieces || convert_from(substring(v_bytes from v_done + 1 for p_ends[i] - v_done), 'UTF8');
    v_done := p_ends[i];
    continue when p_urls[i] = '' or p_urls[i] ~* '^(tg|max):';

    v_words := null;
    -- Words longer than the address and a slash do not say it and are not read, so that links within links stay cheap.
    if p_ends[i] - p_begins[i] <= octet_length(p_urls[i]) + 1 then
      v_words := convert_from(substring(v_bytes from p_begins[i] + 1 for p_ends[i] - p_begins[i]), 'UTF8');
    end if;
    continue when regexp_replace(v_words, '/$', '')
      in (regexp_replace(p_urls[i], '/$', ''), regexp_replace(p_urls[i], '^[A-Za-z][A-Za-z0-9+.-]*:(//)?|/$', '', 'g'));
    v_pieces := v_pieces || (' (' || p_urls[i] || ')');
  end loop;
  return array_to_string(v_pieces, '') || convert_from(substring(v_bytes from v_done + 1), 'UTF8');
end;
$$;
