create or replace function outrider.commit_bot_replies(
  p_workspace_id text,
  p_outcomes jsonb,
  p_now timestamptz default clock_timestamp()
)
  returns table (reply_id uuid, became text, due_at timestamptz, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_settings outrider.workspace_settings;
  v_outcome record;
  v_reply outrider.bot_outbox;
  v_became record;
begin
  perform outrider.require_workspace('commit_bot_replies', p_workspace_id);
  perform outrider.require_batch('commit_bot_replies', 'outcomes', p_outcomes, p_now);
  perform outrider.require_bot_outcomes('commit_bot_replies', p_outcomes);
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;
  perform outrider.lock_for_bot_commit(p_workspace_id, p_outcomes, p_now);

  for v_outcome in
    select o.* from jsonb_to_recordset(p_outcomes) as o (reply_id uuid, claim_token uuid, ok boolean, provider_message_id text, error jsonb)
    order by o.reply_id
  loop
    select o.* into v_reply from outrider.bot_outbox o
    where o.workspace_id = p_workspace_id and o.reply_id = v_outcome.reply_id and o.status = 'sending'
      and o.claim_token = v_outcome.claim_token
    for no key update;
    if not found then
      return query
      select v_outcome.reply_id, null::text, null::timestamptz, coalesce((
        select format('stale: the reply is "%s" and not held under this token', o.status) from outrider.bot_outbox o
        where o.workspace_id = p_workspace_id and o.reply_id = v_outcome.reply_id
      ), 'unknown: there is no such reply in this workspace');
      continue;
    end if;

    if v_outcome.ok then
      update outrider.bot_outbox o
      set status = 'sent', sent_at = p_now, provider_message_id = v_outcome.provider_message_id, claim_token = null,
          sending_started_at = null, lease_until = null
      where o.workspace_id = p_workspace_id and o.reply_id = v_reply.reply_id;
      perform outrider.end_outage(g, p_now) from outrider.platform_limits g
      where g.workspace_id = p_workspace_id and g.platform = v_reply.provider and g.rate_group = v_reply.rate_group
        and g.outage_channels is not null;
      if v_reply.reply <> '{}' then
        perform outrider.pace_bot_chat(v_reply, v_reply.sending_started_at + outrider.slot_step(p.channel_rps))
        from outrider.platforms p where p.platform = v_reply.provider;
      end if;
      perform outrider.advance_bot_chat(p_workspace_id, v_reply.provider, v_reply.chat_id, p_now);
      return query select v_reply.reply_id, 'sent'::text, null::timestamptz, null::text;
    else
      v_became := outrider.fail_bot_reply(
        v_reply, outrider.mask_bot_error(v_reply, outrider.normal_error(v_outcome.error)), v_settings, p_now);
      return query select v_reply.reply_id, v_became.became, v_became.due_at, null::text;
    end if;
  end loop;
end;
$$;

comment on function outrider.commit_bot_replies is $doc$Records what became of a bot's replies, many at once.

Each outcome is {reply_id, claim_token, ok: true, provider_message_id} or {reply_id, claim_token, ok: false, error}, with
the errors of commit_outcomes. The next reply of a chat is due one step of the platform's rate for a chat after the start of
the one before it, or when the time is over that a 429 named.

A transient failure makes the reply wait as the retry policy says, and the later replies of its chat with it. A permanent one
ends it; with the scope `channel` it ends all that wait for that chat. A refusal of platform scope cools the rate group down,
and a refused credential closes it. A reply is dead when its attempts are used up.

Concurrency: locks chats in order, then the rate groups that a failure concerns, then the replies. When all were sent, it
locks no group.
Returns: one row for each outcome; `became` is sent, waiting, failed or dead, and null when it was not recorded: `note`
says why.
Raises: OR001, OR002, OR003; then nothing of the batch is recorded.$doc$;

grant execute on function outrider.commit_bot_replies to outrider_worker;
