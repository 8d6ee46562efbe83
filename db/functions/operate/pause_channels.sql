create or replace function outrider.pause_channels(
  p_workspace_id text,
  p_channel_ids text[],
  p_until timestamptz,
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
    'pause_channels', p_workspace_id, p_channel_ids, p_until, null, p_dry_run, p_operator, p_reason, p_now) o;
end;
$$;

comment on function outrider.pause_channels is $doc$Keeps channels from sending until a time, on an operator's order; what is accepted for them waits.

p_until: null: until somebody resumes them. The new pause replaces an earlier one.
p_dry_run: only says what it would do.
Refused, each with its reason: a channel that is disabled, or does not exist.
Concurrency: locks the channels in order.
Returns: one row for each id; none for an empty list.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.pause_channels to outrider_worker;
