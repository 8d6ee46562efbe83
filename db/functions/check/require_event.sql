-- Checks the arguments of emit_event. An event says what happened; it does not carry the thing itself. So its data is
-- at most 256 KiB, which every broker accepts.
--
-- Raises: OR001.
create or replace function outrider.require_event(
  p_event_type outrider.event_type_enum,
  p_aggregate_type outrider.aggregate_type_enum,
  p_aggregate_id uuid,
  p_data jsonb,
  p_actor jsonb,
  p_version integer,
  p_occurred_at timestamptz,
  p_event_id uuid
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_fault constant text := case
    when p_event_type is null then 'event_type is missing'
    when p_aggregate_type is null then 'aggregate_type is missing'
    when p_aggregate_id is null then 'aggregate_id is missing'
    when p_aggregate_id = '00000000-0000-0000-0000-000000000000' then 'aggregate_id is the nil UUID, which is nobody''s id'
    when p_event_id = '00000000-0000-0000-0000-000000000000' then 'event_id is the nil UUID, which is nobody''s id'
    when jsonb_typeof(p_data) is distinct from 'object'
      then format('data must be a JSON object, not %s', coalesce(jsonb_typeof(p_data), 'nothing'))
    when octet_length(p_data::text) > 262144
      then format('data has %s bytes; 262144 are allowed: refer to what is larger', octet_length(p_data::text))
    when octet_length(p_actor::text) > 4096
      then format('actor has %s bytes; 4096 are allowed', octet_length(p_actor::text))
    when jsonb_typeof(p_actor) <> 'object'
      then format('actor must be a JSON object or nothing, not %s', jsonb_typeof(p_actor))
    when p_version is null or p_version not between 1 and 10000
      then format('version is %s; 1 to 10000 are allowed', coalesce(p_version::text, 'missing'))
    when p_occurred_at < '0001-01-01 00:00:00+00' or p_occurred_at >= '10000-01-01 00:00:00+00'
      then 'occurred_at must lie in the years 1 to 9999'
  end;
begin
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('emit_event: %s', v_fault);
  end if;
end;
$$;
