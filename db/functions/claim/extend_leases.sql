-- Keeps claims alive while their sends go on: moves the end of their leases to now plus the
-- workspace's lease time. A lease that was recovered meanwhile is gone and stays gone.
--
-- Concurrency: leases are locked in order, in a statement of its own.
-- Returns: the tokens that still hold something, with the new end.
-- Raises: OR001, OR002, OR003.
create or replace function outrider.extend_leases(
  p_workspace_id text,
  p_claim_tokens uuid[],
  p_now timestamptz default clock_timestamp()
)
  returns table (claim_token uuid, lease_until timestamptz)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('extend_leases', p_workspace_id);
  perform outrider.require_list('extend_leases', 'claim_tokens', p_claim_tokens, p_now);

  perform from outrider.leases l
  where l.workspace_id = p_workspace_id and l.claim_token = any (p_claim_tokens)
  order by l.channel_id, l.claim_token
  for no key update;

  return query
  with extended as (
    update outrider.leases l
    set lease_until = greatest(l.lease_until, p_now + s.sending_lease)
    from outrider.workspace_settings s
    where l.workspace_id = p_workspace_id and l.claim_token = any (p_claim_tokens)
      and s.workspace_id = p_workspace_id
    returning l.claim_token, l.lease_until
  )
  select e.claim_token, max(e.lease_until) from extended e group by e.claim_token;
end;
$$;

grant execute on function outrider.extend_leases to outrider_worker;
