create or replace function outrider.next_due_in(p_workspace_id text, p_now timestamptz default clock_timestamp())
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
declare
  v_due_at timestamptz;
begin
  perform outrider.require_workspace('next_due_in', p_workspace_id);
  perform outrider.require_time('next_due_in', p_now);

  v_due_at := outrider.workspace_due_at(p_workspace_id);
  return case when v_due_at < 'infinity' then greatest(p_now, v_due_at) end;
end;
$$;

comment on function outrider.next_due_in is $doc$When the next delivery of one workspace will be due: p_now when one is due already, null when no delivery waits for a
known time. next_due_at says it of all workspaces together.

Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.next_due_in to outrider_worker;
