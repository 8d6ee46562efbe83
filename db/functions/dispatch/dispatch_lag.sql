create or replace function outrider.dispatch_lag(p_now timestamptz default clock_timestamp())
  returns double precision
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
begin
  perform outrider.require_time('dispatch_lag', p_now);

  return (
    with recursive waiting (workspace_id) as (
      select min(q.workspace_id) from outrider.delivery_queue q
      union all
      select (select min(q.workspace_id) from outrider.delivery_queue q where q.workspace_id > w.workspace_id)
      from waiting w
      where w.workspace_id is not null
    )
    select extract(epoch from p_now - min(d.idle_since))::double precision
    from waiting w
    cross join lateral outrider.due_channels(w.workspace_id, p_now) d
    where w.workspace_id is not null
  );
end;
$$;

comment on function outrider.dispatch_lag is $doc$For how many seconds a delivery of any active workspace has been due while nothing was missing but a sender: its channel
and its group are open and have a slot, and nothing of the channel is being sent. Null when there is none. A backlog that
goes out at its pace has no lag.

Raises: OR001.$doc$;

grant execute on function outrider.dispatch_lag to outrider_service;
