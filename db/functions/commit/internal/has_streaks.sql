-- Whether a channel or a rate group of a workspace has failures in a row, which a success ends.
create or replace function outrider.has_streaks(p_workspace_id text)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (
    select from outrider.channels c where c.workspace_id = p_workspace_id and c.error_streak > 0
  ) or exists (
    select from outrider.platform_limits g where g.workspace_id = p_workspace_id and g.outage_channels is not null
  );
end;
$$;
