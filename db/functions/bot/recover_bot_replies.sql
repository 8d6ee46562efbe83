create or replace function outrider.recover_bot_replies(p_now timestamptz default clock_timestamp())
  returns table (workspace_id text, reply_id uuid, became text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_stale record;
  v_reply outrider.bot_outbox;
  v_settings outrider.workspace_settings;
  v_became text;
  v_error constant jsonb := jsonb_build_object(
    'category', 'TRANSIENT', 'scope', 'delivery', 'code', 'outcome_unknown', 'outcome', 'unknown', 'message', 'the sender went away');
begin
  perform outrider.require_time('recover_bot_replies', p_now);

  for v_stale in
    select o.workspace_id, o.provider, o.chat_id, o.reply_id from outrider.bot_outbox o
    where o.status = 'sending' and o.lease_until < p_now
    order by o.lease_until
    limit 1000
  loop
    -- The chat is locked first, as by a commit.
    perform from outrider.bot_state s
    where s.workspace_id = v_stale.workspace_id and s.provider = v_stale.provider and s.chat_id = v_stale.chat_id
    for no key update skip locked;
    continue when not found;
    select o.* into v_reply from outrider.bot_outbox o
    where o.workspace_id = v_stale.workspace_id and o.reply_id = v_stale.reply_id and o.status = 'sending' and o.lease_until < p_now
    for no key update skip locked;
    continue when not found;

    select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = v_stale.workspace_id;
    v_became := case when v_reply.attempt >= v_reply.attempt_limit then 'dead' else 'waiting' end;
    update outrider.bot_outbox o
    set status = v_became, outcome_unknown = true, last_error = v_error, claim_token = null, sending_started_at = null,
        lease_until = null, waited = null,
        due_at = case when v_became = 'waiting' then p_now + v_settings.recovery_backoff end,
        failed_at = case when v_became = 'dead' then p_now end
    where o.workspace_id = v_reply.workspace_id and o.reply_id = v_reply.reply_id;
    perform outrider.write_bot_error(v_reply, case v_became when 'dead' then 'dead' else 'lease_expired' end, v_error, p_now);
    perform outrider.advance_bot_chat(v_reply.workspace_id, v_reply.provider, v_reply.chat_id, p_now);
    return query select v_reply.workspace_id, v_reply.reply_id, v_became;
  end loop;
end;
$$;

comment on function outrider.recover_bot_replies is $doc$Gives the replies of senders that are gone to others: a reply whose lease has ended waits for recovery_backoff, with its
outcome unknown, or is dead when its attempts are used up.

Concurrency: waits for nobody; what is locked is left for the next call. Up to 1000 replies in a call.
Returns: one row for each recovered reply; `became` is waiting or dead.
Raises: OR001.$doc$;

grant execute on function outrider.recover_bot_replies to outrider_service;
