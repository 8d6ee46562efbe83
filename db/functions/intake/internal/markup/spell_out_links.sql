-- Writes a text for a platform without links: puts the address of each link behind its words. p_begins and p_ends
-- are the places of the words, in bytes; the links come in the order in which they end.
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
begin
  for i in 1 .. cardinality(p_urls) loop
    continue when p_begins[i] = p_ends[i]; -- a link without words is not shown
    v_pieces := v_pieces || convert_from(substring(v_bytes from v_done + 1 for p_ends[i] - v_done), 'UTF8');
    v_pieces := v_pieces || outrider.link_suffix(
      -- Words longer than the address and a slash do not say it; so links within links stay cheap.
      case when p_ends[i] - p_begins[i] <= octet_length(p_urls[i]) + 1 then
        convert_from(substring(v_bytes from p_begins[i] + 1 for p_ends[i] - p_begins[i]), 'UTF8')
      end, p_urls[i]);
    v_done := p_ends[i];
  end loop;
  return array_to_string(v_pieces, '') || convert_from(substring(v_bytes from v_done + 1), 'UTF8');
end;
$$;
