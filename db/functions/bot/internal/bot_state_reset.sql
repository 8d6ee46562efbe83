-- A chat without a dialogue: what was collected is forgotten. A handover stays.
create or replace function outrider.bot_state_reset(p_state outrider.bot_state)
  returns outrider.bot_state
  language plpgsql
  immutable
as $$
begin
  p_state.state := 'default';
  p_state.context := '{}';
  p_state.opened_by := null;
  p_state.expires_at := null;
  return p_state;
end;
$$;
