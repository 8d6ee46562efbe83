-- Checks the outcomes of a bot's replies against the contract of commit_bot_replies.
--
-- Raises: OR001.
create or replace function outrider.require_bot_outcomes(p_function text, p_outcomes jsonb)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_faulty bigint;
begin
  begin
    select count(*) into v_faulty
    from jsonb_to_recordset(p_outcomes) as o (reply_id uuid, claim_token uuid, ok boolean, provider_message_id text)
    where o.reply_id is null or o.claim_token is null or o.ok is null
      or (o.ok and coalesce(octet_length(o.provider_message_id), 0) not between 1 and 512);
  exception
    when data_exception then
      raise exception using errcode = 'OR001', message = format('%s: outcomes cannot be read: %s', p_function, left(sqlerrm, 200));
  end;
  if v_faulty > 0 or jsonb_path_exists(p_outcomes, '$[*] ? (@.ok.type() != "boolean" || @.provider_message_id.type() != "string")') then
    raise exception using errcode = 'OR001', message = format(
      '%s: %s of %s outcomes lack reply_id, claim_token or a true or false ok, or are ok without a provider_message_id (text of 1 to 512 bytes)',
      p_function, v_faulty, jsonb_array_length(p_outcomes));
  end if;
  perform outrider.require_errors(p_function, jsonb_path_query_array(p_outcomes, '$[*] ? (@.ok == false)'));
end;
$$;
