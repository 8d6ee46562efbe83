-- Records failed sends: what becomes of each delivery (judge_failure), and what it means for its channel and group
-- (note_illness, penalise).
--
-- In a group in an outage, a failure that shows the platform ill uses up no attempt: not that of the probe, nor that of
-- a send that was under way.
-- p_well: the groups in which the same commit records a success.
-- Concurrency: groups and channels are locked by the caller (lock_for_commit); locks the deliveries in
-- order.
-- Returns: one row for each failure, as commit_outcomes does, with the channel and token of its lease; the caller takes
-- the sends off their leases.
-- Raises: OR001.
create or replace function outrider.commit_failures(
  p_workspace_id text,
  p_failures jsonb,
  p_well text[],
  p_now timestamptz
)
  returns table (
    delivery_id uuid, became outrider.delivery_status, next_retry_at timestamptz, note text,
    channel_id text, claim_token uuid
  )
  language plpgsql
  volatile
as $$
#variable_conflict use_column
declare
  v_settings outrider.workspace_settings;
  v_failure record;
  v_delivery outrider.deliveries;
  v_error jsonb;
  v_waits boolean;
  v_verdict record;
begin
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  for v_failure in
    select f.*
    from jsonb_to_recordset(p_failures) as f (
      delivery_id uuid, claim_token uuid, error jsonb, next_retry_at timestamptz, parts jsonb, payload_ref text
    )
    order by f.delivery_id
  loop
    select d.* into v_delivery
    from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.delivery_id = v_failure.delivery_id
      and d.status = 'sending' and d.claim_token = v_failure.claim_token
    for no key update;
    if not found then
      return query
      select s.*, null::text, null::uuid
      from outrider.explain_stale(p_workspace_id, array[v_failure.delivery_id], null) s;
      continue;
    end if;

    v_error := outrider.normal_error(v_failure.error);
    v_waits := outrider.is_wait(v_error);
    if outrider.is_illness(v_error) then
      v_waits := outrider.note_illness(v_delivery, v_error, p_well, v_settings, p_now) or v_waits;
    end if;
    v_verdict := outrider.judge_failure(v_delivery, v_error, v_waits, v_settings, v_failure.next_retry_at, random(), p_now);

    update outrider.deliveries d
    set status = v_verdict.became, next_retry_at = v_verdict.next_retry_at, attempt_limit = v_verdict.attempt_limit,
        waited = v_verdict.waited, last_error = v_verdict.error, updated_at = p_now,
        claim_token = null, claimed_at = null, sending_started_at = null, earlier_attempts[d.attempt] = d.sending_started_at,
        failed_at = case when v_verdict.became <> 'retry' then p_now end,
        outcome_unknown = d.outcome_unknown or v_error ->> 'outcome' = 'unknown',
        render_meta = case when v_failure.parts is null then d.render_meta else outrider.merge_progress(d.render_meta, v_failure.parts) end
    where d.workspace_id = p_workspace_id and d.delivery_id = v_delivery.delivery_id;

    perform outrider.write_delivery_event(
      v_delivery,
      case v_verdict.became when 'retry' then 'retry_scheduled' when 'dead' then 'dead_letter' else 'failed_permanent' end::outrider.event_action,
      v_verdict.error,
      jsonb_build_object(
        'next_retry_at', v_verdict.next_retry_at, 'parts', v_failure.parts, 'payload_ref', v_failure.payload_ref),
      p_now);
    perform outrider.penalise(v_delivery, v_error, v_settings, v_verdict.delay, p_now);

    return query
    select v_delivery.delivery_id, v_verdict.became, v_verdict.next_retry_at, null::text, v_delivery.channel_id, v_delivery.claim_token;
  end loop;
end;
$$;
