-- A chat that a person takes over: its dialogue ends, and the bot is silent for bot_handover, or until it is resumed.
create or replace function outrider.bot_state_handed_over(
  p_state outrider.bot_state,
  p_settings outrider.workspace_settings,
  p_now timestamptz
)
  returns outrider.bot_state
  language plpgsql
  immutable
as $$
begin
  p_state := outrider.bot_state_reset(p_state);
  p_state.handed_over_at := p_now;
  p_state.handed_over_until := coalesce(p_now + p_settings.bot_handover, 'infinity');
  return p_state;
end;
$$;
