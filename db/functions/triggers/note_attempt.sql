-- Keeps the time at which an earlier attempt began, by the number of the attempt, when sending_started_at changes: the
-- event of the attempt is found by that time (outrider.events).
-- The functions that end an attempt write it themselves. This trigger serves changes by hand, and claims of deliveries
-- that were changed by hand. When the time is changed more than once, the first one counts: the event has the time at
-- which the attempt began.
create or replace function outrider.note_attempt()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  if new.sending_started_at is distinct from old.sending_started_at and new.earlier_attempts[old.attempt] is null then
    update outrider.deliveries d
    set earlier_attempts[old.attempt] = old.sending_started_at
    where d.workspace_id = new.workspace_id and d.delivery_id = new.delivery_id;
  end if;
  return null;
end;
$$;

create or replace trigger deliveries_remember_when_attempts_began
  after update of sending_started_at on outrider.deliveries
  for each row
  when (old.sending_started_at is not null)
  execute function outrider.note_attempt();
