-- Checks the arguments that skip_outbox_events and replay_outbox_events share.
--
-- Raises: OR001.
create or replace function outrider.require_outbox_act(
  p_function text,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_max_attempts integer,
  p_now timestamptz
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_dry_run is null then
    raise exception using errcode = 'OR001',
      message = format('%s: dry_run is missing; true and false are allowed', p_function);
  end if;
  perform outrider.require_operator(p_function, p_operator, p_reason);
  perform outrider.require_publishing(p_function, p_max_attempts, p_now);
end;
$$;
