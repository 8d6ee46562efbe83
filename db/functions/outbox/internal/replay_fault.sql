-- Why an event cannot be replayed, in words; null when it can. Only an event that the caller has locked can be.
create or replace function outrider.replay_fault(
  p_event_id uuid,
  p_is_locked boolean,
  p_event_type outrider.event_type_enum
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_event outrider.outbox_events;
begin
  select e.* into v_event from outrider.outbox_events e where e.id = p_event_id;
  return case
    when v_event.id is null then 'there is no such event'
    when v_event.published_at is not null then 'it is published; to have it arrive again, emit it anew'
    when v_event.event_type <> p_event_type then format('it is of the type "%s"', v_event.event_type)
    when v_event.attempt_count = 0 then 'it has not failed since it was emitted or replayed'
    when not p_is_locked then 'it is being published at this moment'
  end;
end;
$$;
