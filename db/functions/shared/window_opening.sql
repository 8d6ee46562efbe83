-- When a posting window is next open: p_at itself when it is open then, the next opening otherwise,
-- 'infinity' when it never opens.
--
-- The window maps weekdays to local times: {"mon": [["09:00", "18:00"]], "fri": [["22:00", "02:00"]]}.
-- A span that ends at or before its start crosses midnight; "24:00" ends a day; a weekday that is
-- missing is closed. Local times follow the zone through its clock changes: a time that happens twice
-- counts the second time; a time that is skipped counts as much later as the clocks were moved. A span
-- that becomes empty in this way does not open on that day, so the search covers two weeks.
create or replace function outrider.window_opening(p_window jsonb, p_timezone text, p_at timestamptz)
  returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select coalesce(
    (
      select o.opens
      from (select n as ahead from generate_series(-1, 14) n order by n) day
      cross join lateral (
        select (p_at at time zone p_timezone)::date + day.ahead as local_date
      ) d
      cross join lateral (
        select min(greatest(s.opens, p_at)) as opens
        from jsonb_array_elements(
          p_window -> (array['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'])[extract(dow from d.local_date)::integer + 1]
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
        where s.closes > greatest(p_at, s.opens)
      ) o
      where o.opens is not null
      order by day.ahead
      limit 1
    ),
    'infinity'
  );
$$;
