create or replace function outrider.recover_leases(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, became outrider.delivery_status)
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
  v_settings outrider.workspace_settings;
  v_lease outrider.leases;
  v_delivery outrider.deliveries;
  v_channels text[];
begin
  perform outrider.require_workspace('recover_leases', p_workspace_id);
  perform outrider.require_time('recover_leases', p_now);
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  for v_lease in
    select l.* from outrider.leases l
    where l.workspace_id = p_workspace_id and l.lease_until < p_now
    order by l.channel_id, l.claim_token
    for update skip locked
  loop
    for v_delivery in
      select d.*
      from (
        select p_workspace_id as workspace_id, u.id from unnest(v_lease.delivery_ids) as u (id)
        order by u.id
        limit cardinality(v_lease.delivery_ids)
      ) held
      join outrider.deliveries d on d.workspace_id = held.workspace_id and d.delivery_id = held.id
      where d.status = 'sending' and d.claim_token = v_lease.claim_token
      for no key update of d skip locked
    loop
      return query
      select v_delivery.delivery_id, outrider.recover_sending(v_delivery, v_settings, p_now);
    end loop;

    select count(*)::integer into v_lease.open_count
    from (
      select p_workspace_id as workspace_id, u.id from unnest(v_lease.delivery_ids) as u (id)
      limit cardinality(v_lease.delivery_ids)
    ) held
    join outrider.deliveries d on d.workspace_id = held.workspace_id and d.delivery_id = held.id
    where d.status = 'sending' and d.claim_token = v_lease.claim_token;

    if v_lease.open_count = 0 then
      delete from outrider.leases l
      where l.workspace_id = p_workspace_id and l.channel_id = v_lease.channel_id and l.claim_token = v_lease.claim_token;
    else
      update outrider.leases l set open_count = v_lease.open_count
      where l.workspace_id = p_workspace_id and l.channel_id = v_lease.channel_id and l.claim_token = v_lease.claim_token;
    end if;
  end loop;

  v_channels := outrider.lock_missed_channels(p_workspace_id, p_now);
  for v_delivery in
    select d.*
    from (
      select q.workspace_id, q.delivery_id from outrider.delivery_queue q
      where q.workspace_id = p_workspace_id and q.channel_id = any (v_channels)
        and q.claimed and q.available_at > '-infinity' and q.available_at <= p_now
      order by q.delivery_id
      offset 0
    ) resting
    join outrider.deliveries d on d.workspace_id = resting.workspace_id and d.delivery_id = resting.delivery_id
    where d.status = 'claimed' and d.claimed_at < p_now - v_settings.claimed_lease
    for no key update of d skip locked
  loop
    update outrider.deliveries d
    set status = 'queued', claim_token = null, claimed_at = null, updated_at = p_now
    where d.workspace_id = p_workspace_id and d.delivery_id = v_delivery.delivery_id;
    perform outrider.write_delivery_event(v_delivery, 'claimed_lease_expired', null,
      jsonb_build_object('claimed_at', v_delivery.claimed_at), p_now);
    return query select v_delivery.delivery_id, 'queued'::outrider.delivery_status;
  end loop;
end;
$$;

comment on function outrider.recover_leases is $doc$Gives stale leases back: a sender that died does not keep its deliveries.

A delivery that was being sent when its lease ended goes to retry after a short wait, with its outcome unknown, or to
dead when its attempts are used up. A resting delivery whose slot passed and that no sender took goes back to the queue;
that counts as no attempt.
Then the lease counts only the deliveries that are still `sending` under its token, no matter who moved the others, and
ends when there are none. So a delivery that was moved by hand takes up no room in its channel.
Concurrency: waits for nobody. Rows locked by a commit in progress are skipped: they are not stale, and the lease counts
them until the commit takes them off. Channels are locked before the deliveries that rest in them.
Returns: one row for each recovered delivery, with what became of it.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.recover_leases to outrider_worker;
