-- Gives a new endpoint the row by which its pace is counted.
create or replace function outrider.add_endpoint_pace()
  returns trigger
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  insert into outrider.endpoint_pace (workspace_id, endpoint_id) values (new.workspace_id, new.endpoint_id);
  return null;
end;
$$;

create or replace trigger endpoints_have_a_pace
  after insert on outrider.workspace_endpoints
  for each row
  execute function outrider.add_endpoint_pace();
