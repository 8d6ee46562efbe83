create or replace function outrider.rotate_auth(
  p_workspace_id text,
  p_channel_ids text[],
  p_auth_ref text,
  p_rate_group text,
  p_force boolean,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (channel_id text, rotated boolean, note text, sending integer, sending_until timestamptz)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_cause constant jsonb := jsonb_build_object('operator', p_operator, 'reason', p_reason);
  v_credential outrider.credential_bindings;
  v_candidates text[];
  v_sending bigint;
  v_goes boolean;
  v_row record;
begin
  perform outrider.require_workspace('rotate_auth', p_workspace_id);
  perform outrider.require_names('rotate_auth', 'channel_ids', p_channel_ids, p_now);
  perform outrider.require_text('rotate_auth', 'auth_ref', p_auth_ref, 128);
  if p_rate_group is not null then
    perform outrider.require_text('rotate_auth', 'rate_group', p_rate_group, 128);
  end if;
  perform outrider.require_flag('rotate_auth', 'force', p_force);
  perform outrider.require_flag('rotate_auth', 'dry_run', p_dry_run);
  perform outrider.require_operator('rotate_auth', p_operator, p_reason);
  select b.* into v_credential from outrider.credential_bindings b
  where b.workspace_id = p_workspace_id and b.auth_ref = p_auth_ref;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('rotate_auth: workspace "%s" has no credential %s', p_workspace_id, outrider.excerpt(p_auth_ref)),
      hint = 'Bind it to its secret first: outrider apply, section credentials.';
  end if;

  -- Closed groups may be opened below. Nobody sends in them, so nobody waits for these locks.
  perform from outrider.platform_limits g
  where g.workspace_id = p_workspace_id and g.closed_at is not null
  order by g.platform, g.rate_group
  for no key update;
  perform from outrider.channels c
  where c.workspace_id = p_workspace_id and c.channel_id = any (p_channel_ids)
  order by c.channel_id
  for no key update;

  -- A claim writes its leases while it holds the lock of the channel: from here on nothing begins unseen.
  select array_agg(b.channel_id), coalesce(sum(b.sending), 0) into v_candidates, v_sending
  from outrider.rotation_states(p_workspace_id, p_channel_ids, v_credential, p_rate_group) b
  where b.fault is null;

  v_goes := v_sending = 0 or p_force;
  if not v_goes and not p_dry_run then
    perform outrider.hold_for_rotation(p_workspace_id, v_candidates, p_auth_ref, v_cause, p_now);
  end if;

  for v_row in
    select s.* from outrider.rotation_states(p_workspace_id, p_channel_ids, v_credential, p_rate_group) s order by s.channel_id
  loop
    if v_row.fault is null and v_goes and not p_dry_run then
      perform outrider.switch_auth(v_row.channel, v_row.auth_ref, p_auth_ref, p_rate_group,
        v_cause || case when v_row.sending > 0 then jsonb_build_object('forced', true) else '{}' end, p_now);
    end if;
    return query select
      v_row.channel_id, v_row.fault is null and v_goes,
      case
        when v_row.fault is not null then v_row.fault
        when v_goes then null
        when v_row.sending = 0 then 'it waits for the others'
        else format('%s of its deliveries %s being sent', v_row.sending, case v_row.sending when 1 then 'is' else 'are' end)
      end,
      v_row.sending, v_row.sending_until;
  end loop;
  if v_goes and not p_dry_run then
    perform outrider.open_mended_groups(p_workspace_id, v_cause, p_now);
  end if;
end;
$$;

comment on function outrider.rotate_auth is $doc$Gives channels another credential, and with p_rate_group another rate group, on an operator's order. The credential has
to be bound to its secret already.

All channels change together, in one transaction, and only while none of their deliveries is being sent. If one is, no
channel changes: all of them are paused for two minutes at most, so that the sends can end. Call it again until it says
that they have changed. The pause ends with the rotation, or by itself.

Rate groups that were closed because a platform had refused the old credential are opened, if none of their channels uses
it any more. Each channel gets an event `auth_rotated` with both credentials. If a file still names the old credential, its
next `outrider apply` brings that back.

p_force: changes them at once. What is being sent ends with the old credential.
p_dry_run: only says what it would do, and pauses nothing.
Refused, each with its reason: a channel that is not there, is on another platform, or uses the credential already.
Concurrency: locks closed groups, then the channels, in order. A claim writes its leases under the lock of the channel, so
that what is being sent is known for certain.
Returns: one row for each id: how many of its deliveries are being sent, and until when their leases last. None for an
empty list.
Raises: OR001, OR002 (also for a credential that is not bound), OR003.$doc$;

grant execute on function outrider.rotate_auth to outrider_worker;
