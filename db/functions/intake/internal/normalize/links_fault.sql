-- Checks the list of links of a post: at most 20 http(s) addresses.
--
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.links_fault(p_links jsonb)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_fault text := outrider.count_fault('links', p_links, 20);
begin
  if v_fault is null then
    select f.fault
    into v_fault
    from jsonb_array_elements(p_links) with ordinality as l (url, place)
    cross join lateral (select format('links[%s]', l.place - 1) as path) p
    cross join lateral (
      select case
        when jsonb_typeof(l.url) <> 'string' then format('%s must be a string, not %s', p.path, outrider.kind_of(l.url))
        else outrider.url_fault(p.path, l.url #>> '{}')
      end as fault
      offset 0 -- otherwise it would be computed twice: here and in the condition
    ) f
    where f.fault is not null
    order by l.place
    limit 1;
  end if;
  return v_fault;
end;
$$;
