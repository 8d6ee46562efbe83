-- Lets deliveries whose slot lies ahead rest in `claimed`: the slot is theirs, the attempt is not
-- counted yet. A weight of 0 says that the delivery has the slot of its group too.
--
-- Concurrency: the channels are locked by the caller. A delivery that has left the queue meanwhile is left alone.
create or replace function outrider.rest_until_slot(
  p_token uuid,
  p_ahead outrider.picked_delivery[],
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
begin
  with rested as (
    update outrider.delivery_queue q
    set available_at = s.slot, claimed = true, weight = s.weight
    from unnest(p_ahead) s
    where q.ctid = s.queue_tid
    returning q.workspace_id, q.delivery_id, s.slot
  )
  update outrider.deliveries d
  set status = 'claimed', claim_token = p_token, claimed_at = p_now, not_before = s.slot, updated_at = p_now
  from (select r.* from rested r limit cardinality(p_ahead)) s
  where d.workspace_id = s.workspace_id and d.delivery_id = s.delivery_id
    and d.status in ('queued', 'retry', 'claimed');
end;
$$;
