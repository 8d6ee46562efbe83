create or replace function outrider.list_workspaces()
  returns table (workspace_id text, name text, status text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  return query
    select w.workspace_id, w.name, w.status::text from outrider.workspaces w order by w.workspace_id;
end;
$$;

comment on function outrider.list_workspaces is $doc$Every workspace, in the order of the ids. For Outrider's own processes: a tenant knows its own workspace.$doc$;

grant execute on function outrider.list_workspaces to outrider_service;
