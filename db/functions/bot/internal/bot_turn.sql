-- Decides a turn: see decide_bot_turn, which describes the order and the answer. The arguments are checked.
create or replace function outrider.bot_turn(
  p_before outrider.bot_state,
  p_input jsonb,
  p_settings outrider.workspace_settings,
  p_document jsonb,
  p_now timestamptz
)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_state outrider.bot_state := p_before;
  v_has_expired constant boolean := coalesce(p_before.expires_at < p_now, false);
  v_is_start constant boolean := p_input ->> 'kind' = 'started';
  v_matches outrider.bot_match[];
  v_chosen integer := 1;
  v_match outrider.bot_match;
  v_next outrider.bot_match;
  v_decided record;
begin
  if v_state.handed_over_until > p_now then
    return outrider.bot_decision(p_before, p_before, 'silent', null, null, null, 'the chat is handed over to a person', null);
  end if;
  v_state.handed_over_at := null;
  v_state.handed_over_until := null;
  if v_has_expired or v_is_start then
    v_state := outrider.bot_state_reset(v_state);
  end if;

  if v_state.state <> 'default' then
    v_state.context := v_state.context || jsonb_build_object('turns', coalesce((v_state.context ->> 'turns')::integer, 0) + 1);
    if (v_state.context ->> 'turns')::integer >= outrider.bot_turn_limit(v_state.workspace_id, p_document, v_state.opened_by) then
      return outrider.bot_decision(
        p_before, outrider.bot_state_handed_over(v_state, p_settings, p_now), 'escalated', null,
        outrider.bot_reply_text(p_settings.bot_escalation_text, v_state.context, p_input, p_input ->> 'provider'), null,
        format('the dialogue that rule %s opened has used up its turns', outrider.excerpt(v_state.opened_by)), null);
    end if;
  end if;

  v_matches := array(
    select m from outrider.matching_bot_rules(v_state.workspace_id, p_document, p_input, v_state.state) m);
  if not (v_matches[1]).is_valid then
    -- Somebody who asks something else, or for a person, is not asked for an order number again.
    select coalesce(min(n), 1) into v_chosen from generate_subscripts(v_matches, 1) as n
    where (v_matches[n]).found <> '{}';
  end if;
  v_match := v_matches[v_chosen];
  v_next := v_matches[case when v_chosen = 1 then 2 else 1 end];

  if (v_match.rule).rule_id is null then
    v_decided := outrider.decide_bot_miss(v_state, p_input, p_settings, p_now);
  else
    v_decided := outrider.decide_bot_match(v_state, v_match, p_input, p_settings, p_now);
  end if;
  return outrider.bot_decision(
    p_before, v_decided.state_after, v_decided.action, v_match.rule, v_decided.reply, (v_match.rule).buttons,
    case
      when v_has_expired then 'the dialogue before had expired; '
      when v_is_start and p_before.state <> 'default' then 'the dialogue before was left; '
      else ''
    end || v_decided.why,
    case when (v_next.rule).rule_id is not null then jsonb_build_object(
      'rule_id', (v_next.rule).rule_id, 'version', (v_next.rule).version, 'why', outrider.bot_match_in_words(v_next)) end);
end;
$$;
