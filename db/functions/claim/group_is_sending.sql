-- Whether a send of any channel of a rate group is under way.
create or replace function outrider.group_is_sending(p_group outrider.platform_limits)
  returns boolean
  language plpgsql
  stable
  parallel safe
  set search_path = outrider, pg_temp
as $$
begin
  return exists (
    select from outrider.channels c
    join outrider.leases l on l.workspace_id = c.workspace_id and l.channel_id = c.channel_id
    where c.workspace_id = p_group.workspace_id and c.platform = p_group.platform and c.rate_group = p_group.rate_group
      and l.open_count > 0
  );
end;
$$;
