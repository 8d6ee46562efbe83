-- Notes that a delivery's channel found its platform ill. When enough channels of the group do so in a row, without a
-- success of the group in between, the group rests. After the rest it is probed. When the probe finds the platform ill
-- too, the group rests again, for longer.
--
-- Enough is outage_after_channels, or all channels of a group that has fewer, but never one alone. The first rest takes
-- backoff_base. Each further rest takes backoff_base plus the time that the outage has lasted, up to backoff_cap: so
-- the rest doubles. A platform that fails now and then costs its groups a moment, and one that is down is asked less
-- and less often.
-- p_well: the groups in which the same commit records a success. Nobody knows which came first, so their platform is
-- taken to be well.
-- A send that began before the group was last opened, or before its rest was over, says nothing new about it.
-- Concurrency: the group is locked by the caller (lock_for_commit).
-- Returns: whether the group is in an outage now.
create or replace function outrider.note_illness(
  p_delivery outrider.deliveries,
  p_error jsonb,
  p_well text[],
  p_settings outrider.workspace_settings,
  p_now timestamptz
)
  returns boolean
  language plpgsql
  volatile
as $$
declare
  v_group outrider.platform_limits;
  v_channels text[];
  v_enough integer;
  v_rests boolean;
begin
  select g.* into v_group
  from outrider.channels c
  join outrider.platform_limits g
    on g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
  where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id;
  if not found or v_group.platform || '/' || v_group.rate_group = any (p_well)
    or p_delivery.sending_started_at < v_group.opened_at
  then
    return false;
  end if;

  v_channels := array_remove(v_group.outage_channels, p_delivery.channel_id) || p_delivery.channel_id;
  if v_group.outage_since is null then
    select greatest(2, least(p_settings.outage_after_channels, count(*)::integer)) into v_enough
    from outrider.channels c
    where c.workspace_id = v_group.workspace_id and c.platform = v_group.platform and c.rate_group = v_group.rate_group
      and c.enabled;
    v_rests := cardinality(v_channels) >= v_enough;
  else
    v_rests := p_delivery.sending_started_at >= v_group.resting_until;
  end if;

  if v_rests then
    v_group.outage_since := coalesce(v_group.outage_since, p_now);
    v_group.resting_until := p_now
      + least(p_settings.backoff_base + (p_now - v_group.outage_since), p_settings.backoff_cap);
    v_group.last_error := case when v_group.closed_at is null then p_error else v_group.last_error end;
    perform outrider.write_penalty_event(p_delivery, 'group_cooled_down', p_error,
      jsonb_build_object(
        'platform', v_group.platform, 'rate_group', v_group.rate_group, 'cooldown_until', v_group.resting_until,
        'outage_since', v_group.outage_since, 'outage_channels', v_channels),
      p_now);
  end if;
  if v_rests or v_channels is distinct from v_group.outage_channels then
    update outrider.platform_limits g
    set outage_channels = v_channels, outage_since = v_group.outage_since, resting_until = v_group.resting_until,
        last_error = v_group.last_error, updated_at = p_now
    where g.workspace_id = v_group.workspace_id and g.platform = v_group.platform and g.rate_group = v_group.rate_group;
  end if;
  return v_group.outage_since is not null;
end;
$$;
