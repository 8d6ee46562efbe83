-- Keeps the outbox append-only. The triggers call it only for changes that are not allowed, and before every delete, to
-- check the login. An allowed change costs nothing but the comparison.
--
-- It binds everybody who does not switch triggers off. An administrator, too, has to act as outrider_retention to
-- delete, or be given that role, and it can delete only through purge_outbox_events and purge_outbox.
-- Raises: OR003.
create or replace function outrider.guard_outbox_events()
  returns trigger
  language plpgsql
  volatile
  security definer -- so that every login with a right on the table gets the same error
  set search_path = outrider, pg_temp
as $$
declare
  v_login constant name := outrider.acting_login();
begin
  case
    when tg_op = 'INSERT' then
      raise exception using errcode = 'OR003',
        message = format('event %s cannot start as published or tried', new.id),
        hint = 'An event starts without published_at, attempts and last_error; outrider.emit_event writes it so.';
    when tg_op = 'UPDATE' then
      raise exception using errcode = 'OR003',
        message = format('event %s cannot be changed: the outbox is append-only', old.id),
        hint = 'Only what became of it is recorded (published_at once, attempt_count, last_error); emit another event instead.';
    when tg_op = 'TRUNCATE' then
      raise exception using errcode = 'OR003',
        message = 'the outbox cannot be truncated',
        hint = 'outrider.purge_outbox_events removes published events that are old enough.';
    when tg_level = 'ROW' then
      raise exception using errcode = 'OR003',
        message = format('event %s cannot be deleted: it has not been published', old.id);
    when outrider.may_purge_outbox() then
      return null;
    else
      raise exception using errcode = 'OR003',
        message = format('login "%s" may not delete events', v_login),
        hint = 'outrider.purge_outbox_events does it, for members of outrider_retention.';
  end case;
end;
$$;

-- After triggers: a before trigger would lock every row a second time.
create or replace trigger events_start_unpublished_and_untried
  after insert on outrider.outbox_events
  for each row
  when (new.published_at is not null or new.attempt_count <> 0 or new.last_error is not null)
  execute function outrider.guard_outbox_events();

-- Fires only for statements that name one of these columns, so that other updates do not compare payloads.
create or replace trigger events_never_change_what_they_say
  after update of id, event_type, aggregate_type, aggregate_id, payload_json, created_at on outrider.outbox_events
  for each row
  when (
    old.id <> new.id or old.event_type <> new.event_type or old.aggregate_type <> new.aggregate_type
    or old.aggregate_id <> new.aggregate_id or old.payload_json <> new.payload_json or old.created_at <> new.created_at
  )
  execute function outrider.guard_outbox_events();

create or replace trigger events_are_published_once_and_tried_one_by_one
  after update of published_at, attempt_count, last_error on outrider.outbox_events
  for each row
  when (
    new.attempt_count not in (old.attempt_count, old.attempt_count + 1, 0)
    or (
      old.published_at is not null
      and (old.published_at, old.attempt_count, old.last_error)
        is distinct from (new.published_at, new.attempt_count, new.last_error)
    )
  )
  execute function outrider.guard_outbox_events();

create or replace trigger events_are_deleted_only_by_retention
  before delete on outrider.outbox_events
  for each statement
  execute function outrider.guard_outbox_events();

create or replace trigger events_are_published_before_they_are_deleted
  after delete on outrider.outbox_events
  for each row
  when (old.published_at is null)
  execute function outrider.guard_outbox_events();

create or replace trigger events_are_never_truncated
  before truncate on outrider.outbox_events
  for each statement
  execute function outrider.guard_outbox_events();
