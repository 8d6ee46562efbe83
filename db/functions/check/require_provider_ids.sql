-- Checks a list of provider_message_ids: 1 to 10000 texts of 1 to 512 bytes.
--
-- Raises: OR001.
create or replace function outrider.require_provider_ids(p_function text, p_ids text[])
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_ids is null or array_ndims(p_ids) <> 1 or cardinality(p_ids) not between 1 and 10000
    or exists (select from unnest(p_ids) as x (id) where coalesce(octet_length(x.id), 0) not between 1 and 512)
  then
    raise exception using errcode = 'OR001',
      message = format('%s: provider_message_ids must hold 1 to 10000 texts of 1 to 512 bytes', p_function);
  end if;
end;
$$;
