-- The first p_limit channels of workspaces, by the age of the workspaces and then by their own: those that have series of
-- their own in /metrics. A channel that is added later takes nobody's place.
create or replace function outrider.metered_channels(p_workspaces text[], p_limit integer)
  returns table (workspace_id text, channel_id text, platform text)
  language plpgsql
  stable
as $$
begin
  return query
  select c.workspace_id, c.channel_id, c.platform
  from unnest(p_workspaces) with ordinality as w (workspace_id, place)
  join outrider.channels c on c.workspace_id = w.workspace_id
  order by w.place, c.created_at, c.channel_id
  limit p_limit;
end;
$$;
