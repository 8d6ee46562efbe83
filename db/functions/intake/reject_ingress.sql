create or replace function outrider.reject_ingress(
  p_workspace_id text,
  p_endpoint_id text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns text
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_endpoint outrider.workspace_endpoints;
begin
  perform outrider.require_workspace('reject_ingress', p_workspace_id);
  perform outrider.require_time('reject_ingress', p_now);
  perform outrider.require_text('reject_ingress', 'endpoint_id', p_endpoint_id, 64);
  perform outrider.require_text('reject_ingress', 'reason', p_reason, 1000);
  select e.* into v_endpoint from outrider.workspace_endpoints e
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('reject_ingress: workspace "%s" has no endpoint "%s"', p_workspace_id, p_endpoint_id);
  end if;
  return outrider.drop_ingress(v_endpoint, 'ingress_payload_rejected', 'payload_rejected',
    jsonb_build_object('reason', p_reason), p_now);
end;
$$;

comment on function outrider.reject_ingress is $doc$Records that an admitted request was turned away, and why: writes an event, and a run that counts only this request.

Returns: the run's id.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.reject_ingress to outrider_service;
