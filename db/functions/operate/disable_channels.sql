create or replace function outrider.disable_channels(
  p_workspace_id text,
  p_channel_ids text[],
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
    'disable_channels', p_workspace_id, p_channel_ids, null, null, p_dry_run, p_operator, p_reason, p_now) o;
end;
$$;

comment on function outrider.disable_channels is $doc$Takes channels out of service, on an operator's order, until somebody enables them: what was accepted for them waits,
and no post is routed to them.

p_dry_run: only says what it would do.
Refused, each with its reason: a channel that is disabled already, or does not exist.
Concurrency: locks the channels in order.
Returns: one row for each id; none for an empty list.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.disable_channels to outrider_worker;
