-- Closes the rate group of a channel whose credential was refused (shut_rate_group). A group that is closed already gets no
-- second event.
--
-- Concurrency: the group is locked by the caller (lock_for_commit).
create or replace function outrider.close_group(p_delivery outrider.deliveries, p_error jsonb, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_sent record;
begin
  select c.platform, c.rate_group, coalesce(r.auth_ref, c.auth_ref) as auth_ref, r.rotated_at into v_sent
  from outrider.channels c
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id;
  if outrider.shut_rate_group(
    p_delivery.workspace_id, v_sent.platform, v_sent.rate_group, v_sent.auth_ref, v_sent.rotated_at, p_delivery.sending_started_at,
    p_error, p_now)
  then
    perform outrider.write_penalty_event(p_delivery, 'group_closed', p_error,
      jsonb_build_object('platform', v_sent.platform, 'rate_group', v_sent.rate_group, 'auth_ref', v_sent.auth_ref), p_now);
  end if;
end;
$$;
