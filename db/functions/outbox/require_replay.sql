-- Checks what replay_outbox_events is given.
--
-- Raises: OR001.
create or replace function outrider.require_replay(
  p_event_ids uuid[],
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_max_attempts integer,
  p_now timestamptz
)
  returns void
  language plpgsql
  immutable
  set search_path = outrider, pg_temp
as $$
begin
  if p_event_ids is not null then
    perform outrider.require_list('replay_outbox_events', 'event_ids', p_event_ids, p_now);
  end if;
  perform outrider.require_flag('replay_outbox_events', 'dry_run', p_dry_run);
  perform outrider.require_operator('replay_outbox_events', p_operator, p_reason);
  perform outrider.require_publishing('replay_outbox_events', p_max_attempts, p_now);
end;
$$;
