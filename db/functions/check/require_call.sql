-- Checks what take_call is told about a call: how many messages it shows in the chat (none for an upload), and the slots
-- that the sender holds for it (null when it holds none).
--
-- Raises: OR001.
create or replace function outrider.require_call(
  p_function text,
  p_messages integer,
  p_channel_slot timestamptz,
  p_group_slot timestamptz
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_messages is null or p_messages not between 0 and 100 then
    raise exception using errcode = 'OR001',
      message = format('%s: messages is %s; 0 to 100 are allowed', p_function, coalesce(p_messages::text, 'missing'));
  end if;
  if not isfinite(p_channel_slot) then
    raise exception using errcode = 'OR001',
      message = format('%s: channel_slot is infinite; pass the slot of the last answer, or null', p_function);
  end if;
  if not isfinite(p_group_slot) then
    raise exception using errcode = 'OR001',
      message = format('%s: group_slot is infinite; pass the slot of the last answer, or null', p_function);
  end if;
end;
$$;
