-- Checks the arguments of mark_publish_failed.
--
-- Raises: OR001.
create or replace function outrider.require_failures(p_failures jsonb, p_max_attempts integer, p_now timestamptz)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_bad bigint;
begin
  perform outrider.require_publishing('mark_publish_failed', p_max_attempts, p_now);
  perform outrider.require_batch('mark_publish_failed', 'failures', p_failures, p_now);
  select min(e.place) into v_bad
  from jsonb_array_elements(p_failures) with ordinality as e (entry, place)
  where not coalesce(
    jsonb_typeof(e.entry -> 'event_id') = 'string'
    and e.entry ->> 'event_id' ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
    and jsonb_typeof(e.entry -> 'error') = 'string' and e.entry ->> 'error' <> ''
    and coalesce(jsonb_typeof(e.entry -> 'refused'), 'boolean') = 'boolean', false);
  if v_bad is not null then
    raise exception using errcode = 'OR001',
      message = format('mark_publish_failed: failures[%s] is not {event_id: id, error: text, refused?: boolean}', v_bad - 1);
  end if;
end;
$$;
