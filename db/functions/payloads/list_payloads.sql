create or replace function outrider.list_payloads(p_workspace_id text, p_after text, p_limit integer)
  returns table (payload_ref text, object_url text, key_id text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_payloads', p_workspace_id);
  perform outrider.require_count('list_payloads', p_limit, 1000);
  if p_after is not null then
    perform outrider.require_text('list_payloads', 'after', p_after, 64);
  end if;
  return query
  select r.payload_ref, r.object_url, r.key_id
  from outrider.raw_payloads r
  where r.workspace_id = p_workspace_id and (p_after is null or r.payload_ref > p_after)
  order by r.payload_ref
  limit p_limit;
end;
$$;

comment on function outrider.list_payloads is $doc$The raw payloads of a workspace, page by page in the order of their names, for whoever looks through them to erase
a person: where each is kept. It shows none of their content, so it leaves no record of reading.

p_after: the last name of the page before; null: the first page.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_payloads to outrider_service;
