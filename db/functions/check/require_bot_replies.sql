-- Checks the list of replies that a call names: it holds 1 to 10000 ids, and no null.
--
-- Raises: OR001.
create or replace function outrider.require_bot_replies(p_function text, p_reply_ids uuid[])
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_reply_ids is null or array_ndims(p_reply_ids) is distinct from 1 or cardinality(p_reply_ids) > 10000
    or array_position(p_reply_ids, null) is not null
  then
    raise exception using errcode = 'OR001', message = format('%s: reply_ids must hold 1 to 10000 ids', p_function);
  end if;
end;
$$;
