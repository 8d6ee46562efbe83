-- Refuses a channel whose timezone PostgreSQL does not know: the claim that met it would fail, and with
-- it everything else in the workspace.
--
-- Raises: OR001.
create or replace function outrider.refuse_unknown_timezone()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  perform now() at time zone new.timezone;
  return null;
exception
  when invalid_parameter_value then
    raise exception using errcode = 'OR001',
      message = format('channel "%s": timezone "%s" is not known', new.channel_id, left(new.timezone, 64)),
      hint = 'Use an IANA name such as Europe/Moscow.';
end;
$$;

create or replace trigger channels_have_a_known_timezone
  after insert or update of timezone on outrider.channels
  for each row
  when (new.timezone is not null)
  execute function outrider.refuse_unknown_timezone();
