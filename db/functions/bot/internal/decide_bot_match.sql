-- Decides what a rule that matches does: it answers, collects the free input, and moves the chat to its next state.
--
-- A general rule that leads to a state opens a dialogue: what an earlier one has collected is forgotten, and its turns are
-- counted anew. The state `default` ends a dialogue. Free input that is not valid is asked for again, in the same state. A rule
-- that leads to no state leaves the dialogue as it is, and never shortens the time that it has.
--
-- A reply that shows nothing, because nothing has a value that it names, is replaced by bot_fallback, or by
-- bot_escalation_text when the chat is handed over; `action` is then fell_back, unless it is handed over.
create or replace function outrider.decide_bot_match(
  p_state outrider.bot_state,
  p_match outrider.bot_match,
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
  v_rule constant outrider.bot_rules := p_match.rule;
  v_provider constant text := p_input ->> 'provider';
  v_values jsonb;
begin
  -- The checker asks for one argument where a row is returned beside others:
  -- @plpgsql_check_options: extra_warnings = false
  why := outrider.bot_match_in_words(p_match);
  state_after := p_state;
  state_after.context := p_state.context - 'misses';
  if state_after.state <> 'default' then
    state_after.expires_at := greatest(p_state.expires_at, p_now + coalesce(v_rule.timeout, p_settings.bot_state_timeout));
  end if;
  if not p_match.is_valid then
    action := 'asked_again';
    reply := outrider.bot_reply_text(v_rule.retry_template, state_after.context, p_input, v_provider);
    if reply is null then
      action := 'fell_back';
      reply := outrider.bot_reply_text(p_settings.bot_fallback, state_after.context, p_input, v_provider);
      why := why || '; its question shows nothing';
    end if;
    return;
  end if;

  if v_rule.collect is not null then
    v_values := coalesce(state_after.context -> 'values', '{}') || jsonb_build_object(v_rule.collect, p_match.input);
    state_after.context := state_after.context || jsonb_build_object('values', v_values);
  end if;
  reply := outrider.bot_reply_text(v_rule.response_template, state_after.context, p_input, v_provider);
  if v_rule.escalate then
    action := 'escalated';
    if reply is null then
      reply := outrider.bot_reply_text(p_settings.bot_escalation_text, state_after.context, p_input, v_provider);
      why := why || '; its answer shows nothing';
    end if;
    state_after := outrider.bot_state_handed_over(state_after, p_settings, p_now);
    return;
  end if;

  action := 'matched';
  if reply is null then
    action := 'fell_back';
    reply := outrider.bot_reply_text(p_settings.bot_fallback, state_after.context, p_input, v_provider);
    why := why || '; its answer shows nothing';
  end if;
  if v_rule.next_state = 'default' or (v_rule.next_state is null and state_after.state = 'default') then
    state_after := outrider.bot_state_reset(state_after);
  elsif v_rule.next_state is not null then
    if p_state.state = 'default' or v_rule.from_state is null then
      state_after.opened_by := v_rule.rule_id;
      state_after.context := jsonb_build_object('turns', 1)
        || jsonb_strip_nulls(jsonb_build_object('values', case when v_rule.collect is not null
          then jsonb_build_object(v_rule.collect, p_match.input) end));
    end if;
    state_after.state := v_rule.next_state;
    state_after.expires_at := p_now + coalesce(v_rule.timeout, p_settings.bot_state_timeout);
  end if;
end;
$$;
