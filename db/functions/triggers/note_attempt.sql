-- Keeps when an attempt began that its delivery no longer tells, by the number of the attempt: its event is found by that
-- time (outrider.events). The functions that end an attempt do it themselves; this is for whoever does it by hand, and for a
-- claim of what was left so. Of several changes the first counts: the event has the time that the attempt began with.
create or replace function outrider.note_attempt()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  update outrider.deliveries d
  set earlier_attempts[old.attempt] = old.sending_started_at
  where d.workspace_id = new.workspace_id and d.delivery_id = new.delivery_id;
  return null;
end;
$$;

create or replace trigger deliveries_remember_when_attempts_began
  after update of sending_started_at on outrider.deliveries
  for each row
  when (
    old.sending_started_at is not null and new.sending_started_at is distinct from old.sending_started_at
    and new.earlier_attempts[old.attempt] is null
  )
  execute function outrider.note_attempt();
