-- The address of a link in MAX's HTML: the first href of the tag, in capitals or not.
--
-- Returns: the address, or null if the tag has none.
create or replace function outrider.max_href(p_tag text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
begin
  -- as most people write it
  if p_tag ~ '^<a href="[^"]*">$' then
    return (outrider.decode_entities(array[substr(p_tag, 10, length(p_tag) - 11)], true))[1];
  end if;
  return (
    select (outrider.decode_entities(array[a.value], true))[1]
    from outrider.tag_attributes(p_tag) a
    where lower(a.name collate "C") = 'href'
    order by a.place
    limit 1
  );
end;
$$;
