create or replace function outrider.dispatch_lag(
  p_now timestamptz default clock_timestamp(),
  out workspace_id text,
  out seconds double precision,
  out holders text[]
)
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
#variable_conflict use_column
begin
  perform outrider.require_time('dispatch_lag', p_now);

  select coalesce(array_agg(distinct l.pid || ' ' || l.virtualtransaction), '{}') into holders
  from pg_locks l
  where l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.relation in ('outrider.channels'::regclass, 'outrider.platform_limits'::regclass)
    and l.mode in ('RowShareLock', 'RowExclusiveLock') and l.granted and l.pid <> pg_backend_pid();
  with recursive waiting (workspace_id) as (
    select min(q.workspace_id) from outrider.delivery_queue q
    union all
    select (select min(q.workspace_id) from outrider.delivery_queue q where q.workspace_id > w.workspace_id)
    from waiting w
    where w.workspace_id is not null
  )
  select w.workspace_id, extract(epoch from p_now - d.idle_since)::double precision
  into dispatch_lag.workspace_id, seconds
  from waiting w
  cross join lateral outrider.due_channels(w.workspace_id, p_now) d
  where w.workspace_id is not null and d.idle_since is not null
  order by d.idle_since
  limit 1;
end;
$$;

comment on function outrider.dispatch_lag is $doc$For how many seconds a delivery of any active workspace has been due while nothing was missing but a sender: its channel
and its group are open and have a slot, and nothing of the channel is being sent. A backlog that goes out at its pace has
no lag; a channel that somebody holds locked has one.

Returns: one row, with the workspace of the longest lag; both are null when there is none. `holders` are the transactions
that may hold rows of channels or rate groups locked, each as the process of PostgreSQL and its transaction; one that is
seen again and again keeps senders away.
Raises: OR001.$doc$;

grant execute on function outrider.dispatch_lag to outrider_service;
