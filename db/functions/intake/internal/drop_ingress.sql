-- Records a request that was dropped at an endpoint: writes an event, and a run that counts only this request.
--
-- Returns: the run's id.
create or replace function outrider.drop_ingress(
  p_endpoint outrider.workspace_endpoints,
  p_action outrider.event_action,
  p_count text,
  p_meta jsonb,
  p_now timestamptz
)
  returns text
  language plpgsql
  volatile
as $$
declare
  v_run_id constant text := gen_random_uuid()::text;
begin
  insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, meta)
  values (
    p_endpoint.workspace_id, gen_random_uuid(), p_now, p_action, 0, 'error',
    outrider.mask_json(jsonb_strip_nulls(jsonb_build_object('endpoint_id', p_endpoint.endpoint_id, 'run_id', v_run_id) || p_meta))
  );
  return outrider.record_run(
    p_endpoint.workspace_id, v_run_id, 'push', jsonb_build_object('endpoint_id', p_endpoint.endpoint_id, p_count, 1), p_now);
end;
$$;
