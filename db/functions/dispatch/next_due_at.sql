create or replace function outrider.next_due_at(p_now timestamptz default clock_timestamp())
  returns timestamptz
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
  perform outrider.require_time('next_due_at', p_now);

  return (
    with recursive waiting (workspace_id) as (
      select min(q.workspace_id) from outrider.delivery_queue q
      union all
      select (select min(q.workspace_id) from outrider.delivery_queue q where q.workspace_id > w.workspace_id)
      from waiting w
      where w.workspace_id is not null
    )
    select max(greatest(p_now, d.due_at))
    from (
      select min(outrider.workspace_due_at(w.workspace_id)) as due_at
      from waiting w
      where w.workspace_id is not null
    ) d
    where d.due_at < 'infinity'
  );
end;
$$;

comment on function outrider.next_due_at is $doc$When the next delivery of any workspace will be due, so that a dispatcher can sleep until then: p_now when one is due
already, null when no delivery waits for a known time.

Raises: OR001.$doc$;

grant execute on function outrider.next_due_at to outrider_service;
