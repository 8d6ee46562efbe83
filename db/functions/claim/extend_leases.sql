create or replace function outrider.extend_leases(
  p_workspace_id text,
  p_claim_tokens uuid[],
  p_now timestamptz default clock_timestamp()
)
  returns table (claim_token uuid, lease_ms bigint)
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
    set lease_until = greatest(l.lease_until, p_now + l.lease_length)
    where l.workspace_id = p_workspace_id and l.claim_token = any (p_claim_tokens)
    returning l.claim_token, l.lease_length
  )
  select e.claim_token, (extract(epoch from min(e.lease_length)) * 1000)::bigint
  from extended e
  group by e.claim_token;
end;
$$;

comment on function outrider.extend_leases is $doc$Keeps claims alive while their sends go on: moves the end of their leases to now plus the length that
they were claimed with. A lease that was recovered meanwhile is gone and stays gone.

Concurrency: leases are locked in order, in a statement of their own.
Returns: the tokens that still hold a lease, each with the length of its lease, to be counted from before the call.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.extend_leases to outrider_worker;
