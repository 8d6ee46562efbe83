-- The ids of a workspace's channels. In the order of the index that begins with the workspace: the primary key,
-- which holds all that is asked for, would have to be read through for every workspace there is.
create or replace function outrider.channels_of(p_workspace_id text)
  returns text[]
  language plpgsql
  stable
as $$
begin
  return array(
    select c.channel_id from outrider.channels c where c.workspace_id = p_workspace_id order by c.platform, c.target_id
  );
end;
$$;
