-- What will happen to a delivery next, as things stand: because of what it waits, and until when.
--
-- Returns: null for one that is over. Else `because`: being_sent (`at`: when its lease ends), workspace_paused,
-- workspace_disabled, channel_<state> (see channel_gate; `reason` has its words), scheduled, retry, slot, or in_line: it
-- is due, and `ahead` others of its channel go first (counted up to 10,000). `at` is null when it does not depend on time
-- alone.
create or replace function outrider.what_is_next(
  p_delivery outrider.deliveries,
  p_channel_state text,
  p_channel_until timestamptz,
  p_channel_reason text,
  p_now timestamptz
)
  returns json
  language plpgsql
  stable
  set search_path = outrider, pg_temp
as $$
declare
  v_due_at constant timestamptz :=
    case p_delivery.status when 'retry' then p_delivery.next_retry_at else p_delivery.not_before end;
  v_workspace outrider.workspace_status;
begin
  if p_delivery.status not in ('queued', 'claimed', 'sending', 'retry') then
    return null;
  end if;
  if p_delivery.status = 'sending' then
    return json_build_object('because', 'being_sent', 'at', (
      select l.lease_until from outrider.leases l
      where l.workspace_id = p_delivery.workspace_id and l.channel_id = p_delivery.channel_id
        and l.claim_token = p_delivery.claim_token
    ));
  end if;

  select w.status into v_workspace from outrider.workspaces w where w.workspace_id = p_delivery.workspace_id;
  if v_workspace <> 'active' then
    return json_build_object('because', 'workspace_' || v_workspace, 'at', null);
  end if;
  -- A channel whose group is probed may send what is due, if it is the probe.
  if p_channel_state <> 'open'
    and coalesce(p_channel_until, case when p_channel_state = 'probing' then p_now else 'infinity' end) > v_due_at
  then
    return case when p_channel_reason is null
      then json_build_object('because', 'channel_' || p_channel_state, 'at', p_channel_until)
      else json_build_object('because', 'channel_' || p_channel_state, 'at', p_channel_until, 'reason', p_channel_reason)
    end;
  end if;
  if v_due_at > p_now then
    return json_build_object('because',
      case p_delivery.status when 'retry' then 'retry' when 'claimed' then 'slot' else 'scheduled' end, 'at', v_due_at);
  end if;
  return json_build_object('because', 'in_line', 'at', null, 'ahead', (
    select count(*)
    from (
      select from outrider.delivery_queue q
      where q.workspace_id = p_delivery.workspace_id and q.channel_id = p_delivery.channel_id
        and q.available_at = '-infinity' and q.seq < p_delivery.seq
      limit 10000
    ) q
  ));
end;
$$;
