create or replace function outrider.disable_rate_group(
  p_workspace_id text,
  p_platform text,
  p_rate_group text,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (channel_id text, changed boolean, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  return query select o.* from outrider.order_channels(
    'disable_rate_group', p_workspace_id,
    outrider.lock_channels_of_group('disable_rate_group', p_workspace_id, p_platform, p_rate_group),
    null, p_rate_group, p_dry_run, p_operator, p_reason, p_now) o;
end;
$$;

comment on function outrider.disable_rate_group is $doc$Takes all channels of a rate group out of service, on an operator's order, until somebody enables them. What was
accepted for them waits, and no post is routed to them.

p_dry_run: only says what it would do. Each channel that changes has its event, with the group in `meta`.
Refused, each with its reason: a channel that is disabled already.
Concurrency: locks the channels in order.
Returns: one row for each channel of the group, in order.
Raises: OR001, OR002 (also for a group that is not there), OR003.$doc$;

grant execute on function outrider.disable_rate_group to outrider_worker;
