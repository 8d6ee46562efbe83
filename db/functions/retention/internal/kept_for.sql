-- How long a delivery is kept that was sent, or suppressed as a repeat: for the retention of its workspace and for the
-- dedup window of its channel, whichever is longer. A repeat is told by the delivery that it repeats.
create or replace function outrider.kept_for(p_retention interval, p_dedup_ttl_hours integer)
  returns interval
  language sql
  immutable
  parallel safe
return greatest(p_retention, make_interval(hours => coalesce(p_dedup_ttl_hours, 168)));
