-- Keeps at most one delivery of a message to a channel in flight: only the latest occurrence may be in flight, and the
-- next one starts after the latest has ended.
--
-- The unique key decides between two simultaneous inserts of the same occurrence. This trigger looks only at repeats
-- and requeues, and decides between these. A repeat locks its predecessor, and a requeue holds its own row, so the
-- second of them sees the first.
-- Raises: OR005.
create or replace function outrider.guard_occurrence()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_previous record;
begin
  if tg_op = 'INSERT' then
    select d.delivery_id, d.status into v_previous
    from outrider.deliveries d
    where d.workspace_id = new.workspace_id and d.message_id = new.message_id
      and d.channel_id = new.channel_id and d.occurrence < new.occurrence
    order by d.occurrence desc
    limit 1
    for no key update;

    if v_previous.status in ('queued', 'claimed', 'sending', 'retry') then
      raise exception using errcode = 'OR005',
        message = format('delivery %s repeats delivery %s, which is still "%s"',
          new.delivery_id, v_previous.delivery_id, v_previous.status);
    end if;
    return null;
  end if;

  if old.status in ('failed_permanent', 'dead', 'deduped') and exists (
    select from outrider.deliveries d
    where d.workspace_id = new.workspace_id and d.message_id = new.message_id and d.channel_id = new.channel_id
      and (d.occurrence > new.occurrence
        or d.occurrence < new.occurrence and d.status in ('queued', 'claimed', 'sending', 'retry'))
  ) then
    raise exception using errcode = 'OR005',
      message = format('delivery %s cannot be requeued: the same message was accepted for this channel again', new.delivery_id);
  end if;
  return null;
end;
$$;

create or replace trigger deliveries_repeat_only_what_is_over
  after insert on outrider.deliveries
  for each row
  when (new.occurrence > 1)
  execute function outrider.guard_occurrence();

create or replace trigger deliveries_requeue_only_the_latest_occurrence
  after update of status on outrider.deliveries
  for each row
  when (new.status = 'retry')
  execute function outrider.guard_occurrence();
