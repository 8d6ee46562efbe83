-- Locks the channels of a rate group, and opens the workspace to the caller first.
--
-- Concurrency: in order; one that changed its group while we waited is left out.
-- Returns: their ids, in order.
-- Raises: OR001, OR002 (also when the workspace knows no such group), OR003.
create or replace function outrider.lock_channels_of_group(
  p_function text,
  p_workspace_id text,
  p_platform text,
  p_rate_group text
)
  returns text[]
  language plpgsql
  volatile
as $$
declare
  v_channels text[];
begin
  perform outrider.require_workspace(p_function, p_workspace_id);
  perform outrider.require_text(p_function, 'platform', p_platform, 128);
  perform outrider.require_text(p_function, 'rate_group', p_rate_group, 128);
  perform from outrider.channels c
  where c.workspace_id = p_workspace_id and c.platform = p_platform and c.rate_group = p_rate_group
  order by c.channel_id
  for no key update;
  v_channels := array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_workspace_id and c.platform = p_platform and c.rate_group = p_rate_group
    order by c.channel_id
  );
  if v_channels = '{}' and not exists (
    select from outrider.platform_limits g
    where g.workspace_id = p_workspace_id and g.platform = p_platform and g.rate_group = p_rate_group
  ) then
    raise exception using errcode = 'OR002',
      message = format('%s: workspace "%s" has no rate group %s on platform %s', p_function, p_workspace_id,
        outrider.excerpt(p_rate_group), outrider.excerpt(p_platform));
  end if;
  return v_channels;
end;
$$;
