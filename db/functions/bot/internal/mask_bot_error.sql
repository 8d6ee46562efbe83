-- An error of a bot's reply as it is kept: a platform may quote the reply, so what is masked in a dialogue is masked here,
-- too, with the contacts that the chat has told. What the platform said becomes a text where something in it was masked.
create or replace function outrider.mask_bot_error(p_reply outrider.bot_outbox, p_error jsonb)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_contacts constant jsonb := outrider.bot_contacts(p_reply.workspace_id, null, null, (
    select s.context from outrider.bot_state s
    where s.workspace_id = p_reply.workspace_id and s.provider = p_reply.provider and s.chat_id = p_reply.chat_id));
  v_said constant text := p_error ->> 'raw';
  v_masked constant text := outrider.mask_bot_contacts(v_said, v_contacts);
begin
  return p_error
    || jsonb_strip_nulls(jsonb_build_object('message', outrider.mask_bot_contacts(p_error ->> 'message', v_contacts)))
    || case when v_masked = v_said or v_said is null then '{}' else jsonb_build_object('raw', v_masked) end;
end;
$$;
