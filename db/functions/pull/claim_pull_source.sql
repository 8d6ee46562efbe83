create or replace function outrider.claim_pull_source(
  p_run_id text,
  p_lease interval,
  p_except text[],
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
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_due record;
begin
  perform outrider.require_run('claim_pull_source', 'run_id', p_run_id, 1, p_now);
  perform outrider.require_pull_length('claim_pull_source', p_lease);
  perform outrider.require_names('claim_pull_source', 'except', p_except, p_now);

  select c.workspace_id, c.source_id into v_due
  from outrider.pull_cursors c
  join outrider.workspaces w on w.workspace_id = c.workspace_id and w.status = 'active'
  where c.next_pull_at <= p_now and coalesce(c.lease_until <= p_now, true) and c.workspace_id <> all (p_except)
  order by c.next_pull_at
  limit 1
  for no key update of c skip locked;
  if found then
    return query
    select s.* from outrider.lease_pull_source(v_due.workspace_id, v_due.source_id, p_run_id, p_lease, p_now) s;
  end if;
end;
$$;

comment on function outrider.claim_pull_source is $doc$Hands out the pull source that has been due for longest, of all active workspaces. Until its lease ends nobody else gets
it; the puller extends the lease (extend_pull) while it reads the source.

p_except: workspaces that have enough pulls under way already.
Concurrency: what somebody else has locked is passed over. A source whose puller died is due again when its lease ends.
Returns: one row, or none when nothing is due. `cursor` is what was kept last, {} at first. `lease_ms` counts from before
the call. `secret_ref` and `platform` are those of the credential `auth_ref`, null if it is not configured; `rate_group`
is that of the source's config, or `auth_ref`. Three pulls in a row that ended before an item (`held_item`, `held_pulls`)
are enough: the next one takes the item without its medium. An item that still waits for its medium (1, 2, then 4 minutes)
is not told, and a pull that ends before it does not count.
Raises: OR001.$doc$;

grant execute on function outrider.claim_pull_source to outrider_service;
