-- When a rate group gives something out: its cooldown and its rest have passed. '-infinity' when nothing stands in the
-- way; 'infinity' when it is not a matter of time: while it is closed, and in an outage while a send of the group is
-- under way.
create or replace function outrider.group_opens_at(p_group outrider.platform_limits)
  returns timestamptz
  language sql
  stable
  parallel safe
return case
    when p_group.closed_at is not null then 'infinity'
    when p_group.outage_since is not null and outrider.group_is_sending(p_group) then 'infinity'
    else coalesce(greatest(p_group.cooldown_until, p_group.resting_until, p_group.opened_at), '-infinity')
  end;
