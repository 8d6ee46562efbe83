-- Gives a new workspace its row in retention_sweeps. Two purges that made it at the same time would wait for each other.
create or replace function outrider.add_retention_sweep()
  returns trigger
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  insert into outrider.retention_sweeps (workspace_id, due_at) values (new.workspace_id, new.created_at);
  return null;
end;
$$;

create or replace trigger workspaces_have_a_sweep
  after insert on outrider.workspaces
  for each row
  execute function outrider.add_retention_sweep();
