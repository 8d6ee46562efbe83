-- Keeps delivery_queue in step when a delivery waits again, ends without being sent, or is deleted.
--
-- claim_deliveries moves its own rows; this trigger serves everybody else. A waiting row stands at its own time, and at
-- '-infinity' once it is due. The row of a resting delivery stands at its slot; not_before has the same time, unless
-- somebody changed it by hand.
create or replace function outrider.sync_queue()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_due_at constant timestamptz := case new.status when 'retry' then new.next_retry_at else new.not_before end;
begin
  if old.status = new.status and old.not_before = new.not_before and old.next_retry_at is not distinct from new.next_retry_at then
    return null;
  end if;

  if old.status in ('queued', 'retry', 'claimed') then
    delete from outrider.delivery_queue q
    where q.workspace_id = old.workspace_id
      and q.channel_id = old.channel_id
      and q.available_at in ('-infinity', old.not_before, old.next_retry_at)
      and q.seq = old.seq;
    if not found and old.status = 'claimed' then
      delete from outrider.delivery_queue q
      where q.workspace_id = old.workspace_id and q.channel_id = old.channel_id and q.claimed and q.seq = old.seq;
    end if;
  end if;

  if new.status in ('queued', 'retry') then
    insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id, weight)
    values (
      new.workspace_id, new.channel_id,
      case when v_due_at <= new.updated_at then '-infinity' else v_due_at end,
      new.seq, new.delivery_id, outrider.next_weight(new.render_meta)
    );
  end if;

  return null;
end;
$$;

create or replace trigger deliveries_wait_in_the_queue
  after update of status, not_before, next_retry_at on outrider.deliveries
  for each row
  when (new.status not in ('claimed', 'sending', 'sent'))
  execute function outrider.sync_queue();

create or replace trigger deleted_deliveries_leave_the_queue
  after delete on outrider.deliveries
  for each row
  when (old.status in ('queued', 'retry', 'claimed'))
  execute function outrider.sync_queue();
