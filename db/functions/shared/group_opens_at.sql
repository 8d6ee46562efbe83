-- When a rate group gives something out: its cooldown and its rest have passed, and in an outage what is under way has
-- ended, or has taken ten minutes: whoever sends it may be gone. '-infinity' when nothing stands in the way; 'infinity'
-- when it is not a matter of time: while it is closed.
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
