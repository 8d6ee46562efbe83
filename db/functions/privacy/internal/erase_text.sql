-- A text without a contact. The word that takes its place is one that every format, address and tag can hold. Tags inside
-- a number stay behind it: without one of them the text would no longer be HTML.
create or replace function outrider.erase_text(p_text text, p_pattern outrider.contact_pattern)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text := p_text;
  v_found text[];
begin
  if position('<' in p_text) > 0 then
    for v_found in select m.found from regexp_matches(p_text, '(' || (p_pattern).exact || ')', 'gi') as m (found) loop
      v_text := replace(v_text, v_found[1], v_found[2] || 'erased' || array_to_string(array(
        select t.tag[1] from regexp_matches(substr(v_found[1], length(v_found[2]) + 1), '</?[a-z][^<>]*>', 'gi') as t (tag)), ''));
    end loop;
  end if;
  return regexp_replace(v_text, (p_pattern).exact, '\1erased', 'gi');
end;
$$;
