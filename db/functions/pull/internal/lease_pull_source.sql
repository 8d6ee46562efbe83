-- Gives a pull source to a puller for a while.
--
-- Concurrency: the caller has locked the cursor, and knows that nobody holds its lease.
-- Returns: the source with its new lease, and the item that is held if its wait is over.
create or replace function outrider.lease_pull_source(
  p_workspace_id text,
  p_source_id text,
  p_run_id text,
  p_lease interval,
  p_now timestamptz
)
  returns outrider.claimed_source
  language plpgsql
  volatile
as $$
declare
  v_cursor outrider.pull_cursors;
  v_claimed outrider.claimed_source;
  v_counts boolean;
begin
  update outrider.pull_cursors c
  set lease_token = gen_random_uuid(), lease_until = p_now + p_lease, leased_by = outrider.mask_text(p_run_id)
  where c.workspace_id = p_workspace_id and c.source_id = p_source_id
  returning c.* into v_cursor;

  v_counts := coalesce(p_now >= outrider.held_until(v_cursor), false);
  select s.workspace_id, s.source_id, s.kind, s.config_json, v_cursor.cursor_json, v_cursor.lease_token,
    (extract(epoch from p_lease) * 1000)::bigint, p_now, v_cursor.failures,
    case when v_counts then v_cursor.held_item end, case when v_counts then v_cursor.held_pulls else 0 end,
    s.config_json ->> 'auth_ref', b.secret_ref, b.platform, coalesce(s.config_json ->> 'rate_group', s.config_json ->> 'auth_ref')
  into v_claimed
  from outrider.pull_sources s
  left join outrider.credential_bindings b
    on b.workspace_id = s.workspace_id and b.auth_ref = s.config_json ->> 'auth_ref'
  where s.workspace_id = p_workspace_id and s.source_id = p_source_id;
  return v_claimed;
end;
$$;
