-- Puts new deliveries that wait into delivery_queue, and refuses those that are inserted as `sending`: nobody but an enqueue
-- writes the lease of such a delivery.
--
-- It is not called for an enqueue (make_deliveries), which declares itself by the setting `outrider.claiming`: that writes
-- the queue and the leases in the statement that inserts the deliveries.
--
-- Raises: OR004.
create or replace function outrider.queue_new_deliveries()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_sending uuid := (select d.delivery_id from fresh d where d.status = 'sending' limit 1);
begin
  if v_sending is not null then
    perform outrider.refuse_start(v_sending, 'sending');
  end if;
  insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id, weight)
  select
    d.workspace_id, d.channel_id,
    case when d.not_before <= d.created_at then '-infinity' else d.not_before end,
    d.seq, d.delivery_id, outrider.next_weight(d.render_meta)
  from fresh d
  where d.status = 'queued';
  return null;
end;
$$;

create or replace trigger new_deliveries_wait_in_the_queue
  after insert on outrider.deliveries
  referencing new table as fresh
  for each statement
  when (coalesce(current_setting('outrider.claiming', true), '') <> 'on')
  execute function outrider.queue_new_deliveries();
