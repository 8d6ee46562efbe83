create or replace function outrider.schedule_retry(
  p_workspace_id text,
  p_delivery_id uuid,
  p_next_retry_at timestamptz,
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
  perform outrider.require_delivery('schedule_retry', p_workspace_id, p_delivery_id);
  perform outrider.require_commit('schedule_retry', p_claim_token, p_now);
  perform outrider.require_category('schedule_retry', p_error_json, 'TRANSIENT');
  perform outrider.require_errors(
    'schedule_retry', jsonb_build_array(jsonb_build_object('delivery_id', p_delivery_id, 'error', p_error_json)));
  if not outrider.is_usable_time(p_next_retry_at) then
    raise exception using errcode = 'OR001', message = 'schedule_retry: next_retry_at is not in the years 1970 to 2200';
  end if;
  return query
  select * from outrider.commit_outcomes(
    p_workspace_id,
    jsonb_build_array(jsonb_build_object(
      'delivery_id', p_delivery_id, 'claim_token', p_claim_token, 'ok', false,
      'error', p_error_json, 'next_retry_at', p_next_retry_at
    )),
    p_now
  );
end;
$$;

comment on function outrider.schedule_retry is $doc$Records that one delivery failed for now: commit_outcomes for one row.

Without p_next_retry_at the retry policy computes it; a given time is a lower bound.
Returns: what became of it: retry, or dead when its attempts are used up; `became` is null and
`note` says why when the commit was stale.
Raises: OR001 (also when the error is not TRANSIENT), OR002 (also for an unknown delivery), OR003.$doc$;

grant execute on function outrider.schedule_retry to outrider_worker;
