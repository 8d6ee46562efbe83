create or replace function outrider.fail_permanent(
  p_workspace_id text,
  p_delivery_id uuid,
  p_error_json jsonb,
  p_claim_token uuid,
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, became outrider.delivery_status, next_retry_at timestamptz, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_delivery('fail_permanent', p_workspace_id, p_delivery_id);
  perform outrider.require_commit('fail_permanent', p_claim_token, p_now);
  perform outrider.require_category('fail_permanent', p_error_json, 'PERMANENT');
  perform outrider.require_errors(
    'fail_permanent', jsonb_build_array(jsonb_build_object('delivery_id', p_delivery_id, 'error', p_error_json)));
  return query
  select * from outrider.commit_outcomes(
    p_workspace_id,
    jsonb_build_array(jsonb_build_object(
      'delivery_id', p_delivery_id, 'claim_token', p_claim_token, 'ok', false, 'error', p_error_json
    )),
    p_now
  );
end;
$$;

comment on function outrider.fail_permanent is $doc$Records that one delivery failed for good: commit_outcomes for one row.

Returns: what became of it; `became` is null and `note` says why when the commit was stale.
Raises: OR001 (also when the error is not PERMANENT), OR002 (also for an unknown delivery), OR003.$doc$;

grant execute on function outrider.fail_permanent to outrider_worker;
