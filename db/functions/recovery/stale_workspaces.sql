create or replace function outrider.stale_workspaces(p_now timestamptz default clock_timestamp())
  returns table (workspace_id text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set enable_seqscan = off
as $$
begin
  perform outrider.require_time('stale_workspaces', p_now);

  return query
  select l.workspace_id from outrider.leases l where l.lease_until < p_now
  union
  select q.workspace_id
  from outrider.delivery_queue q
  join outrider.deliveries d on d.workspace_id = q.workspace_id and d.delivery_id = q.delivery_id
  join outrider.workspace_settings s on s.workspace_id = q.workspace_id
  where q.claimed and q.available_at <= p_now and d.claimed_at < p_now - s.claimed_lease;
end;
$$;

comment on function outrider.stale_workspaces is $doc$The workspaces in which recover_leases would find something to recover.

Raises: OR001.$doc$;

grant execute on function outrider.stale_workspaces to outrider_service;
