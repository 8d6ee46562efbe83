create or replace function outrider.release_claims(
  p_workspace_id text,
  p_claim_token uuid,
  p_delivery_ids uuid[],
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid)
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
  v_delivery outrider.deliveries;
  v_channels text[];
begin
  perform outrider.require_workspace('release_claims', p_workspace_id);
  perform outrider.require_list('release_claims', 'delivery_ids', p_delivery_ids, p_now);
  perform outrider.require_commit('release_claims', p_claim_token, p_now);

  for v_delivery in
    select d.*
    from (
      select p_workspace_id as workspace_id, u.id from unnest(p_delivery_ids) as u (id)
      order by u.id
      limit cardinality(p_delivery_ids)
    ) held
    join outrider.deliveries d on d.workspace_id = held.workspace_id and d.delivery_id = held.id
    where d.status = 'sending' and d.claim_token = p_claim_token
    for no key update of d
  loop
    update outrider.deliveries d
    set status = 'retry', next_retry_at = p_now, attempt_limit = d.attempt_limit + 1,
        claim_token = null, claimed_at = null, sending_started_at = null, earlier_attempts[d.attempt] = d.sending_started_at,
        updated_at = p_now
    where d.workspace_id = p_workspace_id and d.delivery_id = v_delivery.delivery_id;
    perform outrider.write_delivery_event(v_delivery, 'claim_released', null, '{}', p_now);
    v_channels := v_channels || v_delivery.channel_id;
    return query select v_delivery.delivery_id;
  end loop;

  perform outrider.release_leases(
    p_workspace_id, v_channels,
    array_fill(p_claim_token, array[coalesce(cardinality(v_channels), 0)]),
    array_fill(1::bigint, array[coalesce(cardinality(v_channels), 0)]));
end;
$$;

comment on function outrider.release_claims is $doc$Gives claimed deliveries back unsent, when a sender shuts down. They are due again at once, and the attempt does not
count: the limit is raised by one.

Only what is still `sending` under the token is released.
Returns: the deliveries given back.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.release_claims to outrider_worker;
