-- Checks where a chat stands, as decide_bot_turn takes it; null: a new chat.
--
-- Returns: it as a row.
-- Raises: OR001.
create or replace function outrider.require_bot_state(p_function text, p_workspace_id text, p_state jsonb)
  returns outrider.bot_state
  language plpgsql
  immutable
as $$
declare
  v_state outrider.bot_state;
begin
  begin
    v_state := jsonb_populate_record(v_state, coalesce(p_state, '{}'));
  exception
    when data_exception or syntax_error_or_access_rule_violation then
      raise exception using errcode = 'OR001', message = format('%s: state cannot be read: %s', p_function, left(sqlerrm, 200));
  end;
  v_state.workspace_id := p_workspace_id;
  v_state.state := coalesce(v_state.state, 'default');
  v_state.context := coalesce(v_state.context, '{}');
  if jsonb_typeof(p_state) <> 'object' or jsonb_typeof(v_state.context) <> 'object' or length(v_state.state) > 64
    or coalesce(jsonb_typeof(v_state.context -> 'values'), 'object') <> 'object'
    or coalesce(v_state.context ->> 'turns', '0') !~ '^\d{1,6}$' or coalesce(v_state.context ->> 'misses', '0') !~ '^\d{1,6}$'
  then
    raise exception using errcode = 'OR001', message = format(
      '%s: state must be {state, context: {turns?, misses?, values?}, opened_by, expires_at, handed_over_at, handed_over_until}',
      p_function);
  end if;
  return v_state;
end;
$$;
