-- Gives a new workspace its settings, so that no reader has to know the defaults.
create or replace function outrider.add_workspace_settings()
  returns trigger
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  insert into outrider.workspace_settings (workspace_id) values (new.workspace_id);
  return null;
end;
$$;

create or replace trigger workspaces_have_settings
  after insert on outrider.workspaces
  for each row
  execute function outrider.add_workspace_settings();
