-- What a delivery waits for now, and until when.
--
-- Returns: nulls for a delivery that has ended. Otherwise `because` is being_sent (`at` is when its lease ends),
-- workspace_paused, workspace_disabled, channel_<state> (see channel_gate), scheduled, retry, slot, or in_line, when it
-- is due. `at` is null when the wait does not depend on time alone.
create or replace function outrider.next_step(
  p_delivery outrider.deliveries,
  p_workspace_status outrider.workspace_status,
  p_channel_state text,
  p_channel_until timestamptz,
  p_now timestamptz,
  out because text,
  out at timestamptz
)
  language plpgsql
  stable
as $$
declare
  v_due_at constant timestamptz :=
    case p_delivery.status when 'retry' then p_delivery.next_retry_at else p_delivery.not_before end;
begin
  if p_delivery.status not in ('queued', 'claimed', 'sending', 'retry') then
    return;
  end if;
  if p_delivery.status = 'sending' then
    because := 'being_sent';
    at := (
      select l.lease_until from outrider.leases l
      where l.workspace_id = p_delivery.workspace_id and l.channel_id = p_delivery.channel_id
        and l.claim_token = p_delivery.claim_token
    );
  elsif p_workspace_status <> 'active' then
    because := 'workspace_' || p_workspace_status;
  -- A delivery that was accepted outside a posting window is due when the window opens: at equal times it waits for the
  -- channel. While a group is probed, a due delivery waits for the channel, because only the probe may go out.
  elsif p_channel_state <> 'open'
    and coalesce(p_channel_until, case when p_channel_state = 'probing' then p_now else 'infinity' end) >= v_due_at
  then
    because := 'channel_' || p_channel_state;
    at := p_channel_until;
  elsif v_due_at > p_now then
    because := case p_delivery.status when 'retry' then 'retry' when 'claimed' then 'slot' else 'scheduled' end;
    at := v_due_at;
  else
    because := 'in_line';
  end if;
end;
$$;
