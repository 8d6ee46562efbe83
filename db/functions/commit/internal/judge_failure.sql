-- Decides what becomes of a delivery after a failed send.
--
-- PERMANENT: failed_permanent. TRANSIENT: retry, or dead once the attempts are used up. A failure that only makes the
-- delivery wait (p_waits) uses up no attempt, because the limit rises with the attempt. It ends the delivery as dead
-- when the delivery has already waited for give_up_after. Only such waits add up, not the time that a pause, a posting
-- window or the deliveries before it took.
-- A delivery whose credential was refused is due again at once, so that it goes out when its group opens; neither the
-- attempt nor the wait counts.
-- p_not_before is a lower bound for the next attempt; p_random is between 0 and 1.
-- Returns: the delivery's new columns; `delay`, the wait that the retry policy alone gives; `error`, whose message says
-- so when waiting has ended the delivery.
create or replace function outrider.judge_failure(
  p_delivery outrider.deliveries,
  p_error jsonb,
  p_waits boolean,
  p_settings outrider.workspace_settings,
  p_not_before timestamptz,
  p_random double precision,
  p_now timestamptz,
  out became outrider.delivery_status,
  out next_retry_at timestamptz,
  out attempt_limit integer,
  out waited interval,
  out error jsonb,
  out delay interval
)
  language plpgsql
  immutable
as $$
declare
  v_waited constant interval := case when p_waits then coalesce(p_delivery.waited, interval '0') end;
begin
  if outrider.is_credential_refused(p_error) then
    became := 'retry';
    next_retry_at := greatest(p_not_before, p_now);
    attempt_limit := p_delivery.attempt_limit + 1;
    waited := p_delivery.waited;
    error := p_error;
    return;
  end if;

  became := case
    when p_error ->> 'category' = 'PERMANENT' then 'failed_permanent'
    when p_waits and v_waited >= p_settings.give_up_after then 'dead'
    when not p_waits and p_delivery.attempt >= p_delivery.attempt_limit then 'dead'
    else 'retry'
  end::outrider.delivery_status;
  delay := outrider.retry_delay(
    p_settings, outrider.counted_attempts(p_delivery, p_settings), v_waited, p_error ->> 'cause',
    (p_error ->> 'retry_after_ms')::numeric, p_random);
  attempt_limit := p_delivery.attempt_limit;
  waited := v_waited;
  error := p_error;

  if became = 'retry' then
    next_retry_at := greatest(p_not_before, p_now + delay);
  end if;
  if became = 'retry' and p_waits then
    attempt_limit := attempt_limit + 1;
    waited := v_waited + (next_retry_at - p_now);
  end if;
  if became = 'dead' and p_waits then
    error := error || jsonb_build_object('message', format('it was made to wait for %s in all, and give_up_after is %s: %s',
      date_trunc('second', v_waited), p_settings.give_up_after, coalesce(error ->> 'message', error ->> 'code')));
  end if;
end;
$$;
