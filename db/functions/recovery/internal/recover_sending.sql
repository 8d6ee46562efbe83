-- Recovers one delivery whose sender is gone. The post may have arrived, so the outcome is unknown.
--
-- Concurrency: the delivery is locked by the caller.
create or replace function outrider.recover_sending(
  p_delivery outrider.deliveries,
  p_settings outrider.workspace_settings,
  p_now timestamptz
)
  returns outrider.delivery_status
  language plpgsql
  volatile
as $$
declare
  v_became constant outrider.delivery_status :=
    case when p_delivery.attempt >= p_delivery.attempt_limit then 'dead' else 'retry' end::outrider.delivery_status;
  v_error constant jsonb := jsonb_build_object(
    'category', 'TRANSIENT', 'scope', 'delivery', 'code', 'outcome_unknown', 'outcome', 'unknown', 'message', 'the sender went away');
begin
  update outrider.deliveries d
  set status = v_became, outcome_unknown = true, last_error = v_error,
      next_retry_at = case when v_became = 'retry' then p_now + p_settings.recovery_backoff end,
      failed_at = case when v_became = 'dead' then p_now end,
      claim_token = null, claimed_at = null, sending_started_at = null, earlier_attempts[d.attempt] = d.sending_started_at,
      waited = null, updated_at = p_now
  where d.workspace_id = p_delivery.workspace_id and d.delivery_id = p_delivery.delivery_id;

  perform outrider.write_delivery_event(p_delivery, 'sending_lease_expired', v_error,
    jsonb_build_object('sending_started_at', p_delivery.sending_started_at), p_now);
  if v_became = 'dead' then
    perform outrider.write_delivery_event(p_delivery, 'dead_letter', v_error, '{}', p_now);
  end if;
  return v_became;
end;
$$;
