-- Why an event cannot be passed over, in words; null when it can. Only an event that the caller has locked can be.
create or replace function outrider.skip_fault(p_event_id uuid, p_is_locked boolean, p_max_attempts integer)
  returns text
  language plpgsql
  stable
as $$
declare
  v_event outrider.outbox_events;
  v_given_up text;
begin
  select e.* into v_event from outrider.outbox_events e where e.id = p_event_id;
  select b.given_up into v_given_up from outrider.outbox_backoff b where b.event_id = p_event_id;
  return case
    when v_event.id is null then 'there is no such event'
    when v_event.published_at is not null then 'it is published, or was passed over before'
    when v_given_up is distinct from 'refused' and v_event.attempt_count < p_max_attempts
      then 'it is not given up: it is still tried'
    when not p_is_locked then 'it is being published at this moment'
  end;
end;
$$;
