-- Locks a rate group and says how many calls it has room for: in the next quarter of a second, p_limit at most. The caller
-- moves the group on by as many slots as it uses.
--
-- Slots do not lie further ahead, because a cooldown that begins meanwhile could not take them back.
-- Concurrency: does not wait for the group; `room` is null when somebody has locked it, or when it is shut.
create or replace function outrider.take_bot_slots(
  p_workspace_id text,
  p_provider text,
  p_rate_group text,
  p_limit integer,
  p_now timestamptz,
  out room integer,
  out first_slot timestamptz,
  out step interval
)
  language plpgsql
  volatile
as $$
declare
  v_group outrider.platform_limits;
  v_ahead interval;
begin
  insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
  select p_workspace_id, p.platform, p_rate_group, p.group_rps, p_now from outrider.platforms p
  where p.platform = p_provider and not exists (
    select from outrider.platform_limits g
    where g.workspace_id = p_workspace_id and g.platform = p_provider and g.rate_group = p_rate_group)
  on conflict do nothing;
  select g.* into v_group from outrider.platform_limits g
  where g.workspace_id = p_workspace_id and g.platform = p_provider and g.rate_group = p_rate_group
  for no key update skip locked;
  if not found or outrider.group_opens_at(v_group) > p_now then
    return;
  end if;

  step := outrider.slot_step(v_group.rate_rps);
  first_slot := case when step > interval '0' then greatest(p_now, v_group.next_allowed_at) else p_now end;
  v_ahead := p_now + interval '250 milliseconds' - first_slot;
  if v_ahead < interval '0' then
    return;
  end if;
  room := case
    when v_group.outage_since is not null then 1
    when step = interval '0' then p_limit
    else least(p_limit, 1 + floor(extract(epoch from v_ahead) / extract(epoch from step))::integer)
  end;
end;
$$;
