-- The ids of a workspace's channels. They are in the order of the index that begins with the workspace, so that
-- PostgreSQL uses that index. The primary key has both columns that the query needs, but would have to be read through
-- for all workspaces.
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
