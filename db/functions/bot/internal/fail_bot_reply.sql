-- Records that a reply could not be sent, and what that means for its chat and its rate group.
--
-- Concurrency: the chat, the group and the reply are locked by the caller.
create or replace function outrider.fail_bot_reply(
  p_reply outrider.bot_outbox,
  p_error jsonb,
  p_settings outrider.workspace_settings,
  p_now timestamptz,
  out became text,
  out due_at timestamptz
)
  language plpgsql
  volatile
as $$
declare
  v_as_delivery outrider.deliveries;
  v_verdict record;
  v_until timestamptz;
begin
  -- The policy of deliveries decides, by what a reply and a delivery have in common.
  v_as_delivery.attempt := p_reply.attempt;
  v_as_delivery.attempt_limit := p_reply.attempt_limit;
  v_as_delivery.waited := p_reply.waited;
  v_verdict := outrider.judge_failure(v_as_delivery, p_error, outrider.is_wait(p_error), p_settings, null, random(), p_now);
  became := case v_verdict.became when 'retry' then 'waiting' when 'dead' then 'dead' else 'failed' end;
  due_at := v_verdict.next_retry_at;
  update outrider.bot_outbox o
  set status = fail_bot_reply.became, due_at = v_verdict.next_retry_at, attempt_limit = v_verdict.attempt_limit, waited = v_verdict.waited,
      last_error = v_verdict.error, claim_token = null, sending_started_at = null, lease_until = null,
      failed_at = case when fail_bot_reply.became <> 'waiting' then p_now end,
      outcome_unknown = o.outcome_unknown or p_error ->> 'outcome' = 'unknown'
  where o.workspace_id = p_reply.workspace_id and o.reply_id = p_reply.reply_id;
  if p_error ->> 'cause' = 'pace' then
    perform outrider.pace_bot_chat(p_reply, p_now + (p_error ->> 'retry_after_ms')::double precision * interval '1 millisecond');
  end if;
  perform outrider.write_bot_error(p_reply, case became when 'waiting' then 'retry' else became end, v_verdict.error, p_now);

  if outrider.is_credential_refused(p_error) then
    if outrider.shut_rate_group(
      p_reply.workspace_id, p_reply.provider, p_reply.rate_group, p_reply.auth_ref, null, p_reply.sending_started_at, p_error, p_now)
    then
      perform outrider.write_bot_group_event(p_reply, 'group_closed', p_error, jsonb_build_object('auth_ref', p_reply.auth_ref), p_now);
    end if;
  elsif outrider.is_group_cooldown(p_error) then
    v_until := outrider.cool_group_down(
      p_reply.workspace_id, p_reply.provider, p_reply.rate_group, p_error, p_settings, v_verdict.delay, p_now);
    perform outrider.write_bot_group_event(
      p_reply, 'group_cooled_down', p_error, jsonb_build_object('cooldown_until', v_until), p_now);
  elsif p_error ->> 'scope' = 'channel' and p_error ->> 'category' = 'PERMANENT' then
    update outrider.bot_outbox o
    set status = 'failed', failed_at = p_now, last_error = p_error, due_at = null
    where o.workspace_id = p_reply.workspace_id and o.provider = p_reply.provider and o.chat_id = p_reply.chat_id
      and o.status = 'waiting';
  end if;
  perform outrider.advance_bot_chat(p_reply.workspace_id, p_reply.provider, p_reply.chat_id, p_now);
end;
$$;
