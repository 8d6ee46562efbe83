create or replace function outrider.count_metrics(
  p_now timestamptz default clock_timestamp(),
  out counted_to timestamptz,
  out is_behind boolean
)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_from timestamptz;
  v_until timestamptz;
begin
  perform outrider.require_time('count_metrics', p_now);

  select coalesce(m.counted_to, p_now - interval '1 hour') into v_from
  from outrider.metrics_counted m
  where m.name = 'all'
  for update skip locked;
  is_behind := false;
  if not found then
    return;
  end if;
  counted_to := v_from;
  -- In another statement than the counting, which so sees everything that was committed before this one.
  v_until := p_now - outrider.oldest_write_age();
  if v_until <= v_from then
    return;
  end if;

  counted_to := least(v_until, v_from + interval '1 minute');
  is_behind := counted_to < v_until;
  perform outrider.count_events(v_from, counted_to);
  perform outrider.count_posts(v_from, counted_to);
  perform outrider.count_bot_logs(v_from, counted_to);
  perform outrider.count_alerts(v_from, counted_to);
  perform outrider.count_published(v_from, counted_to);
  update outrider.metrics_counted m set counted_to = count_metrics.counted_to where m.name = 'all';
end;
$$;

comment on function outrider.count_metrics is $doc$Adds what has happened since the last call to the counters that read_metrics shows: each event once, whatever crashes or
restarts. The upkeep calls it every 10 seconds.

What an open transaction has written is counted after it has ended: the call goes no further than the time from which the
oldest open transaction may have written. The first call ever begins an hour ago. One call counts a minute at
most; its cost grows with what happened in that time, not with what is kept.
Concurrency: one call counts at a time; another one that comes meanwhile does nothing. No sender and no intake waits for it.
Returns: `counted_to`, null when somebody else is counting; everything before it is counted. `is_behind`: more can be
counted at once.
Raises: OR001.$doc$;

grant execute on function outrider.count_metrics to outrider_service;
