-- Checks the tags that came with a post: at most 100 strings of 1 to 512 bytes.
--
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.tags_fault(p_tags jsonb)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_fault text := outrider.count_fault('tags', p_tags, 100);
begin
  if v_fault is null then
    select f.fault
    into v_fault
    from jsonb_array_elements(p_tags) with ordinality as t (tag, place)
    cross join lateral (select format('tags[%s]', t.place - 1) as path, t.tag #>> '{}' as words) p
    cross join lateral (
      select case
        when jsonb_typeof(t.tag) <> 'string' then format('%s must be a string, not %s', p.path, outrider.kind_of(t.tag))
        when octet_length(p.words) > 512 then format('%s has %s bytes; the limit is 512', p.path, octet_length(p.words))
        when outrider.is_blank(p.words) then format('%s is empty', p.path)
      end as fault
      offset 0 -- otherwise it would be computed twice: here and in the condition
    ) f
    where f.fault is not null
    order by t.place
    limit 1;
  end if;
  return v_fault;
end;
$$;
