-- Locks the failed deliveries of a message that may now be delivered again. A requeue of one of them then comes before
-- this enqueue or after it, never in between.
--
-- Concurrency: in the order of their ids, as a requeue does.
-- Plans: the first query sorts as the unique key by message does, so that every plan uses this key.
create or replace function outrider.lock_predecessors(p_workspace_id text, p_message_id uuid)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_ids constant uuid[] := array(
    select d.delivery_id from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.message_id = p_message_id and d.occurrence is not null
      and d.status in ('failed_permanent', 'dead')
    order by d.channel_id, d.occurrence);
begin
  perform
  from (select p_workspace_id as workspace_id, u.delivery_id from unnest(v_ids) as u (delivery_id) limit cardinality(v_ids)) s
  join outrider.deliveries d on d.workspace_id = s.workspace_id and d.delivery_id = s.delivery_id
  order by d.delivery_id
  for no key update of d;
end;
$$;
