-- Locks deliveries that have been held since before a time: those that are being sent, and those with a slot that has passed.
--
-- Concurrency: locks channels before the deliveries that rest in them, and deliveries in order. Passes over what is locked: a
-- commit or a claim is working on it.
-- Returns: the deliveries, in order.
create or replace function outrider.lock_stale(p_workspace_id text, p_before timestamptz, p_now timestamptz)
  returns setof outrider.deliveries
  language plpgsql
  volatile
as $$
declare
  v_resting text[];
  v_held uuid[];
begin
  v_resting := outrider.lock_missed_channels(p_workspace_id, p_now);
  v_held := array(
    select u.id from outrider.leases l cross join unnest(l.delivery_ids) as u (id) where l.workspace_id = p_workspace_id
    union
    select q.delivery_id from outrider.delivery_queue q
    where q.workspace_id = p_workspace_id and q.channel_id = any (v_resting)
      and q.claimed and q.available_at > '-infinity' and q.available_at <= p_now
  );

  return query
  select d.*
  from (
    select p_workspace_id as workspace_id, u.id from unnest(v_held) as u (id)
    order by u.id
    limit cardinality(v_held)
  ) held
  join outrider.deliveries d on d.workspace_id = held.workspace_id and d.delivery_id = held.id
  where (d.status = 'sending' and d.sending_started_at < p_before) or (d.status = 'claimed' and d.claimed_at < p_before)
  for no key update of d skip locked;
end;
$$;
