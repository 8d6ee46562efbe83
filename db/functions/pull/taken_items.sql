create or replace function outrider.taken_items(p_workspace_id text, p_source_id text, p_item_refs text[])
  returns table (item_ref text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('taken_items', p_workspace_id);
  perform outrider.require_text('taken_items', 'source_id', p_source_id, 200);
  if p_item_refs is null or array_ndims(p_item_refs) <> 1 or cardinality(p_item_refs) > 1000
    or exists (select from unnest(p_item_refs) as x (ref) where coalesce(octet_length(x.ref), 0) not between 1 and 512)
  then
    raise exception using errcode = 'OR001', message = 'taken_items: item_refs must hold 0 to 1000 names of 1 to 512 bytes';
  end if;

  return query
  select r.item_ref from outrider.pull_receipts r
  where r.workspace_id = p_workspace_id and r.source_id = p_source_id and r.item_ref = any (p_item_refs);
end;
$$;

comment on function outrider.taken_items is $doc$Which of these items were taken from a pull source before. Their media need not be fetched again.

Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.taken_items to outrider_ingest, outrider_reader;
