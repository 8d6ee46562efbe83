-- Checks the outer shape of a chunk: at most 1000 of {item_ref: 1 to 512 bytes, payload: object, left_out?}, and a
-- cursor that is an object or nothing. What a payload holds is checked later, item by item.
--
-- Raises: OR001.
create or replace function outrider.require_pull_items(p_items jsonb, p_cursor_to jsonb)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_bad bigint;
begin
  if p_items is null or jsonb_typeof(p_items) <> 'array' or jsonb_array_length(p_items) > 1000 then
    raise exception using errcode = 'OR001', message = 'ingest_pull_chunk: items must be an array of at most 1000';
  end if;
  select min(i.n) into v_bad
  from jsonb_array_elements(p_items) with ordinality as i (item, n)
  where not coalesce(
    jsonb_typeof(i.item) = 'object' and jsonb_typeof(i.item -> 'item_ref') = 'string'
    and octet_length(i.item ->> 'item_ref') between 1 and 512 and jsonb_typeof(i.item -> 'payload') = 'object'
    and coalesce(jsonb_typeof(i.item -> 'left_out') = 'array', true), false);
  if v_bad is not null then
    raise exception using errcode = 'OR001',
      message = format('ingest_pull_chunk: items[%s] is not {item_ref: text of 1 to 512 bytes, payload: object}', v_bad - 1);
  end if;
  select min(i.n) into v_bad
  from jsonb_array_elements(p_items) with ordinality as i (item, n)
  where i.item ? 'left_out' and exists (
    select from jsonb_array_elements(i.item -> 'left_out') as m (medium)
    where not coalesce(
      jsonb_typeof(m.medium) = 'object' and length(m.medium ->> 'path') between 1 and 200
      and length(m.medium ->> 'reason') between 1 and 1000, false));
  if v_bad is not null then
    raise exception using errcode = 'OR001',
      message = format('ingest_pull_chunk: items[%s].left_out is not [{path, reason}]', v_bad - 1);
  end if;
  if jsonb_typeof(p_cursor_to) <> 'object' or octet_length(p_cursor_to::text) > 65536 then
    raise exception using errcode = 'OR001',
      message = 'ingest_pull_chunk: cursor_to must be an object of at most 64 KiB, or null';
  end if;
end;
$$;
