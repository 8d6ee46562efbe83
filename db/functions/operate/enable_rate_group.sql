create or replace function outrider.enable_rate_group(
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
    'enable_rate_group', p_workspace_id,
    outrider.lock_channels_of_group('enable_rate_group', p_workspace_id, p_platform, p_rate_group),
    null, p_rate_group, p_dry_run, p_operator, p_reason, p_now) o;
end;
$$;

comment on function outrider.enable_rate_group is $doc$Lets all channels of a rate group send again, on an operator's order: disabled ones, paused ones and those with an error
streak, whoever stopped them. Afterwards they have no pause and no error streak. A cooldown or an outage of the group goes
on, and a group whose credential was refused stays closed (see reopen_credential).

p_dry_run: only says what it would do. Each channel that changes has its event, with the group in `meta`.
Refused, each with its reason: a channel that is enabled and has neither a pause nor an error streak.
Concurrency: locks the channels in order.
Returns: one row for each channel of the group, in order.
Raises: OR001, OR002 (also for a group that is not there), OR003.$doc$;

grant execute on function outrider.enable_rate_group to outrider_worker;
