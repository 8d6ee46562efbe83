-- Decides what happens when no rule matches: a first miss is asked about, further ones are answered with the fallback, and
-- bot_misses in a row hand the chat over. The state stays. Somebody who only starts the bot has missed nothing. What the bot
-- says is rendered as replies are.
create or replace function outrider.decide_bot_miss(
  p_state outrider.bot_state,
  p_input jsonb,
  p_settings outrider.workspace_settings,
  p_now timestamptz,
  out state_after outrider.bot_state,
  out action text,
  out reply text,
  out why text
)
  language plpgsql
  stable
as $$
declare
  v_misses constant integer := coalesce((p_state.context ->> 'misses')::integer, 0) + 1;
  v_provider constant text := p_input ->> 'provider';
begin
  -- The checker asks for one argument where a row is returned beside others:
  -- @plpgsql_check_options: extra_warnings = false
  state_after := p_state;
  if p_input ->> 'kind' = 'started' then
    action := 'silent';
    why := 'no rule answers to a start';
    return;
  end if;
  if v_misses >= p_settings.bot_misses then
    state_after := outrider.bot_state_handed_over(p_state, p_settings, p_now);
    action := 'escalated';
    reply := outrider.bot_reply_text(p_settings.bot_escalation_text, p_state.context, p_input, v_provider);
    why := case v_misses when 1 then 'no rule matches' else format('no rule matches, %s times in a row', v_misses) end;
    return;
  end if;
  state_after.context := p_state.context || jsonb_build_object('misses', v_misses);
  state_after.expires_at := coalesce(p_state.expires_at, p_now + p_settings.bot_state_timeout);
  action := case when v_misses = 1 then 'clarified' else 'fell_back' end;
  reply := coalesce(
    case when v_misses = 1 then outrider.bot_reply_text(p_settings.bot_clarify, p_state.context, p_input, v_provider) end,
    outrider.bot_reply_text(p_settings.bot_fallback, p_state.context, p_input, v_provider));
  why := 'no rule matches';
end;
$$;
