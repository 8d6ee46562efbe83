create or replace function outrider.take_group_slot(
  p_workspace_id text,
  p_platform text,
  p_rate_group text,
  p_now timestamptz default clock_timestamp()
)
  returns table (slot timestamptz, wait_ms double precision, shut_until timestamptz)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_group outrider.platform_limits;
  v_opens_at timestamptz;
begin
  perform outrider.require_workspace('take_group_slot', p_workspace_id);
  if not exists (select from outrider.platforms p where p.platform = p_platform) then
    raise exception using errcode = 'OR001', message = 'take_group_slot: platform is not known';
  end if;
  perform outrider.require_text('take_group_slot', 'rate_group', p_rate_group, 128);
  perform outrider.require_time('take_group_slot', p_now);

  insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
  select p_workspace_id, p.platform, p_rate_group, p.group_rps, p_now from outrider.platforms p where p.platform = p_platform
  on conflict do nothing;
  select g.* into v_group from outrider.platform_limits g
  where g.workspace_id = p_workspace_id and g.platform = p_platform and g.rate_group = p_rate_group
  for no key update;

  v_opens_at := outrider.group_opens_at(v_group);
  if v_opens_at > p_now then
    shut_until := v_opens_at;
    return next;
    return;
  end if;
  slot := greatest(p_now, v_group.next_allowed_at);
  wait_ms := ceil(extract(epoch from slot - p_now) * 1000)::double precision;
  update outrider.platform_limits g
  set next_allowed_at = slot + outrider.slot_step(g.rate_rps), updated_at = p_now
  where g.workspace_id = p_workspace_id and g.platform = p_platform and g.rate_group = p_rate_group and g.rate_rps > 0;
  return next;
end;
$$;

comment on function outrider.take_group_slot is $doc$Takes a slot of a rate group for a call that belongs to no delivery, such as a notification to a chat: the call counts
against the same limit as those of deliveries.

Concurrency: locks the group for the moment of the statement.
Returns: one row. `wait_ms` is how long to wait before the call is made. A group that is shut gives no slot: `shut_until`
says until when, 'infinity' while its credential is refused.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.take_group_slot to outrider_worker;
