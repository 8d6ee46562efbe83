-- What a delivery waits for now, as JSON; next_step explains `because` and `at`.
--
-- Returns: null for a delivery that has ended. Otherwise {because, at, reason?, ahead?}. `reason` says why its channel
-- does not send, if the delivery waits for that. `ahead` is how many other deliveries of its channel go first, if it is
-- in line; counted up to 10,000.
create or replace function outrider.what_is_next(
  p_delivery outrider.deliveries,
  p_channel_state text,
  p_channel_until timestamptz,
  p_channel_reason text,
  p_now timestamptz
)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_step record;
begin
  select s.* into v_step
  from outrider.workspaces w
  cross join lateral outrider.next_step(p_delivery, w.status, p_channel_state, p_channel_until, p_now) s
  where w.workspace_id = p_delivery.workspace_id;
  if v_step.because is null then
    return null;
  end if;
  return jsonb_build_object('because', v_step.because, 'at', v_step.at) || jsonb_strip_nulls(jsonb_build_object(
    'reason', case when v_step.because like 'channel\_%' then p_channel_reason end,
    'ahead', case when v_step.because = 'in_line' then outrider.count_ahead(p_delivery) end));
end;
$$;
