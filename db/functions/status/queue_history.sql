create or replace function outrider.queue_history(
  p_workspace_id text,
  p_span interval,
  p_now timestamptz default clock_timestamp()
)
  returns table (at timestamptz, due integer, scheduled integer, retrying integer, claimed integer, sending integer)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_step interval;
begin
  perform outrider.require_workspace('queue_history', p_workspace_id);
  perform outrider.require_span('queue_history', 'span', p_span, interval '5 minutes', interval '8 days');
  perform outrider.require_time('queue_history', p_now);
  v_step := make_interval(secs => 300 * greatest(1, ceil(extract(epoch from p_span) / 300 / 96)));

  return query
  select distinct on (b.at) b.at, s.due, s.scheduled, s.retrying, s.claimed, s.sending
  from outrider.queue_samples s
  cross join lateral (select date_bin(v_step, s.at, timestamptz 'epoch') as at) b
  where s.workspace_id = p_workspace_id and s.at > p_now - p_span and s.at <= p_now
  order by b.at, s.due + s.scheduled + s.retrying + s.claimed + s.sending desc, s.at;
end;
$$;

comment on function outrider.queue_history is $doc$How full the queue of a workspace was within p_span (5 minutes to 8 days) before p_now, at 96 moments at most: deliveries that
were due, scheduled, to be retried, claimed with a slot ahead, being sent.

Each row is the fullest sample from `at` until the next step. A step without a row was not sampled: no process ran upkeep then.
Counts stop at 200,000.
Returns: one row for each step that was sampled, the oldest first.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.queue_history to outrider_reader;
