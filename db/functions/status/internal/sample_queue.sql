-- Keeps how many deliveries of a workspace wait and are being sent, if the five minutes of p_now have no fuller sample yet.
--
-- What is due, and what is not due yet, is counted up to 200,000. Of what is not due yet, waiting_counts knows the retries; the
-- rest is scheduled.
create or replace function outrider.sample_queue(p_workspace_id text, p_now timestamptz)
  returns void
  language plpgsql
  volatile
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_most constant integer := 200000;
  v_channels constant text[] := outrider.channels_of(p_workspace_id);
  v_waiting record;
  v_due integer;
  v_later integer;
  v_sending integer;
begin
  v_waiting := outrider.waiting_counts(p_workspace_id, v_channels, 10000, p_now);
  select count(*)::integer into v_due
  from (
    select
    from unnest(v_channels) as c (id)
    join outrider.delivery_queue q
      on q.workspace_id = p_workspace_id and q.channel_id = c.id and q.available_at <= p_now and not q.claimed
    limit v_most
  ) x;
  select count(*)::integer into v_later
  from (
    select
    from unnest(v_channels) as c (id)
    join outrider.delivery_queue q
      on q.workspace_id = p_workspace_id and q.channel_id = c.id and q.available_at > p_now and not q.claimed
    limit v_most
  ) x;
  select coalesce(sum(l.open_count), 0)::integer into v_sending from outrider.leases l where l.workspace_id = p_workspace_id;

  insert into outrider.queue_samples as s (workspace_id, at, due, scheduled, retrying, claimed, sending)
  values (
    p_workspace_id, date_bin('5 minutes', p_now, 'epoch'), v_due, greatest(0, v_later - v_waiting.retrying), v_waiting.retrying,
    v_waiting.claimed, v_sending)
  on conflict (workspace_id, at) do update
  set due = excluded.due, scheduled = excluded.scheduled, retrying = excluded.retrying, claimed = excluded.claimed,
      sending = excluded.sending
  where excluded.due + excluded.scheduled + excluded.retrying + excluded.claimed + excluded.sending
    > s.due + s.scheduled + s.retrying + s.claimed + s.sending;
end;
$$;
