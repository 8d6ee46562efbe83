-- When a rate group may send again: after its cooldown and its rest. In an outage its sends in progress must have
-- ended, too, or have begun ten minutes ago: their sender may be gone. '-infinity' when nothing stops the group;
-- 'infinity' while it is closed, because then it does not open by itself.
create or replace function outrider.group_opens_at(p_group outrider.platform_limits)
  returns timestamptz
  language sql
  stable
  parallel safe
return case
    when p_group.closed_at is not null then 'infinity'
    else coalesce(greatest(p_group.cooldown_until, p_group.resting_until, p_group.opened_at,
      case when p_group.outage_since is not null then outrider.group_sends_since(p_group) + interval '10 minutes' end), '-infinity')
  end;
