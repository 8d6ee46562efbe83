-- Gives a new channel the row by which its slots are counted.
create or replace function outrider.add_channel_pace()
  returns trigger
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  insert into outrider.channel_pace (workspace_id, channel_id) values (new.workspace_id, new.channel_id);
  return null;
end;
$$;

create or replace trigger channels_have_a_pace
  after insert on outrider.channels
  for each row
  execute function outrider.add_channel_pace();
