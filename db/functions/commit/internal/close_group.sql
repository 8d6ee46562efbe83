-- Closes the rate group of a channel whose credential was refused: nothing is sent in the group until somebody has
-- replaced the token (reopen_credential, or an apply that rotates the credential). A group that is closed already gets
-- no second event.
--
-- A send that began before the group was last opened, or before the credential was last written, used the old token and
-- closes nothing.
-- Concurrency: the group is locked by the caller (lock_for_commit).
create or replace function outrider.close_group(p_delivery outrider.deliveries, p_error jsonb, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_group outrider.platform_limits;
begin
  update outrider.platform_limits g
  set closed_at = p_now, closed_auth_ref = a.auth_ref, last_error = p_error, updated_at = p_now
  from outrider.channels c
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  cross join lateral (select coalesce(r.auth_ref, c.auth_ref) as auth_ref) a
  left join outrider.credential_bindings b on b.workspace_id = c.workspace_id and b.auth_ref = a.auth_ref
  where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id
    and g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
    and g.closed_at is null
    and p_delivery.sending_started_at >= greatest(g.opened_at, b.updated_at, r.rotated_at, '-infinity')
  returning g.* into v_group;

  if found then
    perform outrider.write_penalty_event(p_delivery, 'group_closed', p_error,
      jsonb_build_object(
        'platform', v_group.platform, 'rate_group', v_group.rate_group, 'auth_ref', v_group.closed_auth_ref),
      p_now);
  end if;
end;
$$;
