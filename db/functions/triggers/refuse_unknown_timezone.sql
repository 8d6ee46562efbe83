-- Refuses a channel whose timezone PostgreSQL does not know: a claim that uses it would fail, and no other channel of
-- the workspace could be claimed from.
--
-- Raises: OR001.
create or replace function outrider.refuse_unknown_timezone()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_fault constant text := outrider.timezone_fault(new.timezone);
begin
  if v_fault is not null then
    raise exception using errcode = 'OR001',
      message = format('channel "%s": %s', new.channel_id, v_fault),
      hint = 'Use an IANA name such as Europe/Moscow.';
  end if;
  return null;
end;
$$;

create or replace trigger channels_have_a_known_timezone
  after insert or update of timezone on outrider.channels
  for each row
  when (new.timezone is not null)
  execute function outrider.refuse_unknown_timezone();
