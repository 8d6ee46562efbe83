-- When a posting window is next open: p_at itself when it is open then, the next opening otherwise,
-- 'infinity' when it never opens.
--
-- The window maps weekdays to local times: {"mon": [["09:00", "18:00"]], "fri": [["22:00", "02:00"]]}.
-- A span that ends at or before its start crosses midnight; "24:00" ends a day; a weekday that is
-- missing is closed. Local times follow the zone through its clock changes.
create or replace function outrider.window_opening(p_window jsonb, p_timezone text, p_at timestamptz)
  returns timestamptz
  language sql
  stable
  parallel safe
  set search_path = outrider, pg_temp
as $$
  select coalesce(min(case when s.opens <= p_at then p_at else s.opens end), 'infinity')
  from generate_series(-1, 7) as day (ahead)
  cross join lateral (
    select (p_at at time zone p_timezone)::date + day.ahead as local_date
  ) d
  cross join lateral jsonb_array_elements(
    coalesce(p_window -> (array['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'])[extract(dow from d.local_date)::integer + 1], '[]')
  ) as span (bounds)
  cross join lateral (
    select (span.bounds ->> 0)::interval as starts, (span.bounds ->> 1)::interval as ends
  ) t
  cross join lateral (
    select
      (d.local_date + t.starts) at time zone p_timezone as opens,
      (d.local_date + t.ends + case when t.ends <= t.starts then interval '1 day' else interval '0' end)
        at time zone p_timezone as closes
  ) s
  where s.closes > p_at;
$$;
