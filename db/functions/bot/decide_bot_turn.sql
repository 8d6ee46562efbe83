create or replace function outrider.decide_bot_turn(
  p_workspace_id text,
  p_state jsonb,
  p_input jsonb,
  p_document jsonb default null,
  p_now timestamptz default clock_timestamp()
)
  returns jsonb
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_settings outrider.workspace_settings;
  v_input jsonb;
  v_before outrider.bot_state;
begin
  perform outrider.require_workspace('decide_bot_turn', p_workspace_id);
  perform outrider.require_time('decide_bot_turn', p_now);
  v_input := outrider.require_bot_input('decide_bot_turn', 'input', p_input);
  v_before := outrider.require_bot_state('decide_bot_turn', p_workspace_id, p_state);
  v_settings := outrider.require_bot_document('decide_bot_turn', p_workspace_id, p_document);
  return outrider.bot_turn(v_before, v_input, v_settings, p_document, p_now);
end;
$$;

comment on function outrider.decide_bot_turn is $doc$What a bot would do with a message, by the rules alone; it writes nothing. run_bot_turn decides in the same way.

It decides in this order: a chat that was handed over stays silent; a dialogue that has expired is forgotten, and so is one
in which somebody starts the bot again; a dialogue whose turns are used up (max_turns of the rule that opened it) is handed
over; the rules are matched; what no rule matches is answered with bot_clarify, then bot_fallback, and handed over after
bot_misses.

Of several rules that match, those of the state come before the general ones; then the highest priority decides, then how
many keywords were found without a typing error, then how many at all, then how long they are, then the id. Free input
that is not valid is asked for again only if no rule matches by its keywords or payloads; otherwise that rule answers, and the
state stays unless the rule leads to another.

p_state: where the chat stands, as `state` of an earlier decision has it: {state, context, opened_by, expires_at,
handed_over_at, handed_over_until}; null: a new chat.
p_input: {kind: message | button | started, text?, payload?, sender?: {name}, provider?}.
p_document: a part of a configuration, {bot_rules: {id: fields}, settings?}, whose rules count instead of those of the
workspace; null: the enabled rules of the workspace.
Returns: {verdict: replied | silent, action: matched | asked_again | clarified | fell_back | escalated | silent, rule_id,
version, reply: {text, buttons?}, escalate, state_before, state_after, context_after, state, why,
next_best: {rule_id, version, why}}. reply is null when the bot says nothing, next_best when no other rule matches.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.decide_bot_turn to outrider_reader;
