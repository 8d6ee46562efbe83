create or replace function outrider.pull_now(
  p_workspace_id text,
  p_source_id text,
  p_run_id text,
  p_lease interval,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    workspace_id text,
    source_id text,
    kind text,
    config jsonb,
    cursor jsonb,
    lease_token uuid,
    lease_ms bigint,
    claimed_at timestamptz,
    failures integer,
    held_item text,
    held_pulls integer,
    auth_ref text,
    secret_ref text,
    platform text,
    rate_group text
  )
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_cursor outrider.pull_cursors;
begin
  perform outrider.require_workspace('pull_now', p_workspace_id);
  perform outrider.require_run('pull_now', 'run_id', p_run_id, 1, p_now);
  perform outrider.require_pull_length('pull_now', p_lease);
  perform outrider.require_operator('pull_now', p_operator, p_reason);
  perform outrider.require_pull_source('pull_now', p_workspace_id, p_source_id);

  select c.* into v_cursor from outrider.pull_cursors c
  where c.workspace_id = p_workspace_id and c.source_id = p_source_id
  for no key update;
  perform outrider.require_pull_lease('pull_now', v_cursor, null, p_now);
  perform outrider.write_channel_event(p_workspace_id, null, 'manual_pull',
    jsonb_build_object('source_id', p_source_id, 'operator', p_operator, 'reason', p_reason), p_now);
  return query
  select s.* from outrider.lease_pull_source(p_workspace_id, p_source_id, p_run_id, p_lease, p_now) s;
end;
$$;

comment on function outrider.pull_now is $doc$Hands out one pull source whether or not it is due, by an operator's order. The order leaves an event `manual_pull`.

Concurrency: waits for a chunk of the same source that is being taken in.
Returns: one row, as claim_pull_source does.
Raises: OR001, OR002, OR003 (also for a disabled source), OR005 when somebody pulls it at this moment.$doc$;

grant execute on function outrider.pull_now to outrider_ingest;
