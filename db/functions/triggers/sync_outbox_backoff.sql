-- Keeps every waiting event where a fetch finds it, no matter who changes the event: with an error it stands in
-- outbox_backoff or outbox_parked, without one in the index of untried events.
--
-- When an event that failed is published, the events parked behind it are released. Fires only for events that have or
-- had an error: an event that is published at the first attempt costs nothing but the comparison.
create or replace function outrider.sync_outbox_backoff()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  if new.published_at is not null or new.last_error is null then
    delete from outrider.outbox_backoff b where b.event_id = new.id;
    delete from outrider.outbox_parked p
    where p.aggregate_type = new.aggregate_type and p.aggregate_id = new.aggregate_id
      and p.created_at = new.created_at and p.event_id = new.id;
    if new.published_at is not null then
      perform outrider.release_parked(new.aggregate_type, new.aggregate_id);
    end if;
    return null;
  end if;

  if new.attempt_count = 0 and exists (
    select from outrider.outbox_parked p
    where p.aggregate_type = new.aggregate_type and p.aggregate_id = new.aggregate_id
      and p.created_at = new.created_at and p.event_id = new.id
  ) then
    return null;
  end if;
  delete from outrider.outbox_parked p
  where p.aggregate_type = new.aggregate_type and p.aggregate_id = new.aggregate_id
    and p.created_at = new.created_at and p.event_id = new.id;
  insert into outrider.outbox_backoff as b (event_id, attempt_count, not_before)
  values (new.id, new.attempt_count, '-infinity')
  on conflict (event_id) do update set attempt_count = excluded.attempt_count
  where b.attempt_count <> excluded.attempt_count;
  return null;
end;
$$;

create or replace trigger events_that_wait_are_found
  after update of published_at, attempt_count, last_error on outrider.outbox_events
  for each row
  when (
    (old.last_error is not null or new.last_error is not null)
    and (
      old.published_at is distinct from new.published_at
      or old.attempt_count <> new.attempt_count
      or (old.last_error is null) <> (new.last_error is null)
    )
  )
  execute function outrider.sync_outbox_backoff();
