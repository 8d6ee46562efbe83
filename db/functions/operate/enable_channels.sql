create or replace function outrider.enable_channels(
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
    'enable_channels', p_workspace_id, p_channel_ids, null, null, p_dry_run, p_operator, p_reason, p_now) o;
end;
$$;

comment on function outrider.enable_channels is $doc$Lets disabled channels send again, on an operator's order; ends their pause and resets their error streaks.

p_dry_run: only says what it would do.
Refused, each with its reason: a channel that is enabled already, or does not exist.
Concurrency: locks the channels in order.
Returns: one row for each id; none for an empty list.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.enable_channels to outrider_worker;
