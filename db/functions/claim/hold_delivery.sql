create or replace function outrider.hold_delivery(
  p_workspace_id text,
  p_delivery_id uuid,
  p_claim_token uuid,
  p_now timestamptz default clock_timestamp()
)
  returns bigint
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_channel_id text;
  v_length interval;
begin
  perform outrider.require_delivery('hold_delivery', p_workspace_id, p_delivery_id);
  perform outrider.require_commit('hold_delivery', p_claim_token, p_now);
  select d.channel_id into v_channel_id from outrider.deliveries d
  where d.workspace_id = p_workspace_id and d.delivery_id = p_delivery_id;

  -- A recovery locks the lease before its deliveries: when we have the lease, nobody is recovering them.
  select l.lease_length into v_length from outrider.leases l
  where l.workspace_id = p_workspace_id and l.channel_id = v_channel_id and l.claim_token = p_claim_token
  for no key update;
  if not found or not exists (
    select from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.delivery_id = p_delivery_id
      and d.status = 'sending' and d.claim_token = p_claim_token
  ) then
    return null;
  end if;

  update outrider.leases l
  set lease_until = greatest(l.lease_until, p_now + v_length)
  where l.workspace_id = p_workspace_id and l.channel_id = v_channel_id and l.claim_token = p_claim_token;
  return (extract(epoch from v_length) * 1000)::bigint;
end;
$$;

comment on function outrider.hold_delivery is $doc$Asks whether one delivery is still held under a claim token, and extends its lease as extend_leases does. For a sender
that did not claim the delivery itself and does not know when that was.

Concurrency: locks the lease. While a recovery gives the lease back, it waits, and then answers null.
Returns: the length of the lease in milliseconds, to be counted from before the call; null when the delivery is not held
under the token.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.hold_delivery to outrider_worker;
